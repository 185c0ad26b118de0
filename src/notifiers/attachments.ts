import { cleanUpTo, fitted, type TextLimits } from './fitted.ts';
import { linksOf } from './links.ts';
import { type AlertMessage, type ReceiverSettings, workloadName } from './notifier.ts';

/** Differences between the receivers of this form. */
interface Dialect {
  color: string;
  clean(text: string): string;
  limits: TextLimits;
  /** Characters of the names of author and sender. */
  longestName: number;
  /** Shows buttons that open an address, below the fields. */
  hasButtons?: boolean;
}

/** The form that Slack, Discord and Rocket.Chat share. */
export function attachments(message: AlertMessage, { channel, username }: ReceiverSettings, dialect: Dialect): object {
  const { color, clean, limits, longestName, hasButtons = false } = dialect;
  const links = linksOf(message);
  // Fields as well: not every client shows buttons, or that the author is a link.
  const linked = links.map(({ field, url }) => ({ title: field, value: url, short: false }));
  const taken = links.reduce((sum, { field, url }) => sum + field.length + url.length, 0);
  const author = workloadName(message).slice(0, longestName);
  const room = { ...limits, fields: limits.fields - links.length, total: limits.total - taken - author.length };
  const { text, fields } = fitted(message, room, clean);
  return {
    channel,
    username: username.slice(0, longestName),
    icon_url: '',
    icon_emoji: ':rocket:',
    attachments: [
      {
        color,
        author_name: author,
        ...(message.page === undefined ? {} : { author_link: message.page }),
        ...(hasButtons ? { fallback: cleanUpTo(message.text, (short) => short.length <= FALLBACK, clean) } : {}),
        text,
        mrkdwn_in: ['text'],
        fields: [...fields.map(({ name, value }) => ({ title: name, value, short: false })), ...linked],
        ...(hasButtons && links.length > 0 ? { actions: links.map(({ button, url }) => ({ type: 'button', text: button, url })) } : {}),
      },
    ],
  };
}

/** Characters of what notifications show in place of an attachment. */
const FALLBACK = 300;
