import { attachments } from './attachments.ts';
import { inertText } from './inert-text.ts';
import type { AlertFormat } from './notifier.ts';

/** Rocket.Chat (05-A43). */
export const rocket: AlertFormat = {
  body: (message, settings) => attachments(message, settings, message.severity === 'error' ? '#FF0000' : '#0076D7', inertText),
};
