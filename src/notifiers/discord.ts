import { attachments } from './attachments.ts';
import { inertText } from './inert-text.ts';
import { type AlertFormat, withPath } from './notifier.ts';

/** Its endpoint for messages in Slack's form is one below the webhook's own (05-A42). */
export const discord: AlertFormat = {
  body: (message, settings) => attachments(message, settings, message.severity === 'error' ? 'danger' : 'good', inertText),
  url: (address) => withPath(address, '/slack'),
};
