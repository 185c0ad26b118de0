import { attachments } from './attachments.ts';
import type { TextLimits } from './fitted.ts';
import { inertText } from './inert-text.ts';
import { type AlertFormat, withPath } from './notifier.ts';
import { hexColor, toneOf } from './tone.ts';

const colors = { failed: 'danger', warning: 'warning', success: 'good', news: hexColor.news } as const;

/** Source: Discord, "Embed Limits"; what exceeds one of them is refused as a whole. */
const limits: TextLimits = { text: 4096, fields: 25, name: 256, value: 1024, total: 6000, totalIn: 'characters' };
/** Longest name that a webhook posts under. */
const LONGEST_NAME = 80;

/** Its endpoint for messages in Slack's form is one below the webhook's own. */
export const discord: AlertFormat = {
  body: (message, settings) => {
    const body = { ...settings, username: settings.username.slice(0, LONGEST_NAME) };
    return attachments(message, body, { color: colors[toneOf(message)], clean: inertText, limits, longestName: 256 });
  },
  url: (address) => withPath(address, '/slack'),
};
