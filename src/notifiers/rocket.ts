import { attachments } from './attachments.ts';
import type { TextLimits } from './fitted.ts';
import { inertText } from './inert-text.ts';
import type { AlertFormat } from './notifier.ts';
import { hexColor, toneOf } from './tone.ts';

/** Source: Rocket.Chat, "Maximum Allowed Characters Per Message", whose default is 5000. */
const limits: TextLimits = { text: 3000, fields: 25, name: 256, value: 1024, total: 5000, totalIn: 'characters' };

/** Rocket.Chat. */
export const rocket: AlertFormat = {
  body: (message, settings) =>
    attachments(message, settings, { color: hexColor[toneOf(message)], clean: inertText, limits, longestName: 1024, hasButtons: true }),
};
