import { fitted, type TextLimits } from './fitted.ts';
import { escapeMarkup } from './inert-text.ts';
import { linksOf } from './links.ts';
import { type AlertFormat, workloadName } from './notifier.ts';
import { hexColor, toneOf } from './tone.ts';

const GREY = '#848484';
/** Joins the thread of the release, and begins it with the first of its alerts. */
const REPLY = ['messageReplyOption', 'REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD'] as const;

/** A message is limited to 32,000 bytes. Source: Google, `spaces.messages.create`. */
const limits: TextLimits = { text: 4000, fields: 40, name: 256, value: 1024, total: 20_000, totalIn: 'bytes' };

/** Google Chat; no icon has a public address. */
export const gchat: AlertFormat = {
  body(message, { address }) {
    const { text, fields } = fitted(message, limits, escapeMarkup);
    const buttons = linksOf(message).map(({ button, url }) => ({
      textButton: { text: button.toUpperCase(), onClick: { openLink: { url } } },
    }));
    const isThreaded = message.thread !== undefined && !hasThread(address);
    return {
      cards: [
        {
          header: { title: 'Serin', subtitle: workloadName(message) },
          sections: [
            section(strong(text, hexColor[toneOf(message)])),
            ...fields.map(({ name, value }) => section(`${name}<br>${strong(value, GREY)}`)),
            ...(buttons.length > 0 ? [{ widgets: [{ buttons }] }] : []),
          ],
        },
      ],
      ...(isThreaded ? { thread: { threadKey: message.thread } } : {}),
    };
  },
  url(address, { thread }) {
    if (thread === undefined || hasThread(address)) return address;
    const url = new URL(address);
    url.searchParams.set(...REPLY);
    return url;
  },
};

/** The user has chosen a thread, or none, in the address. */
function hasThread(address: URL | string): boolean {
  const { searchParams } = new URL(address);
  return searchParams.has('threadKey') || searchParams.has(REPLY[0]);
}

function section(text: string): object {
  return { widgets: [{ textParagraph: { text } }] };
}

function strong(text: string, color: string): string {
  return `<font color=${color}><strong>${text}</strong></font>`;
}
