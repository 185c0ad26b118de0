import { isRecord, parseJson } from '../base/json.ts';
import { attachments } from './attachments.ts';
import type { TextLimits } from './fitted.ts';
import { escapeMarkup } from './inert-text.ts';
import type { AlertFormat } from './notifier.ts';
import { hexColor, toneOf } from './tone.ts';

/** Errors of the Web API that end by themselves. Source: Slack, chat.postMessage, "Errors". */
const PASSING = new Set(['ratelimited', 'rate_limited', 'internal_error', 'fatal_error', 'service_unavailable', 'request_timeout']);

/** Colours that Slack names. */
const colors = { failed: 'danger', warning: 'warning', success: 'good', news: hexColor.news } as const;

/** No limit of attachments is published; these are those of a section block. Source: Slack, "Section block". */
const limits: TextLimits = { text: 3000, fields: 25, name: 256, value: 2000, total: 12_000, totalIn: 'characters' };

/** An incoming webhook, or `https://slack.com/api/chat.postMessage` with a bot token. */
export const slack: AlertFormat = {
  takesToken: true,
  body: (message, settings) =>
    attachments(message, settings, { color: colors[toneOf(message)], clean: escapeMarkup, limits, longestName: 1024, hasButtons: true }),
  failureIn,
};

/** The Web API says 200 and means no; an incoming webhook says `ok` in plain text. */
function failureIn(body: string): { reason: string; mayRetry: boolean } | undefined {
  const response = parseJson(body);
  // Plain text: an incoming webhook, which reports by its status.
  if (!isRecord(response) || response.ok !== false) return undefined;
  const error = String(response.error ?? '');
  const code = /^[a-z_]{1,60}$/.test(error) ? error : 'without a reason';
  return { reason: `Slack refused it: ${code}`, mayRetry: PASSING.has(code) };
}
