import { isRecord, parseJson } from '../api/json.ts';
import { attachments } from './attachments.ts';
import { escapeMarkup } from './escape-markup.ts';
import type { AlertFormat } from './notifier.ts';

/** Errors of the Web API that end by themselves. Source: Slack, chat.postMessage, "Errors". */
const PASSING = new Set(['ratelimited', 'rate_limited', 'internal_error', 'fatal_error', 'service_unavailable', 'request_timeout']);

/** An incoming webhook, or `https://slack.com/api/chat.postMessage` with a bot token (05-A41). */
export const slack: AlertFormat = {
  takesToken: true,
  body: (message, settings) => attachments(message, settings, message.severity === 'error' ? 'danger' : 'good', escapeMarkup),
  judge: failureIn,
};

/** The Web API says 200 and means no; an incoming webhook says `ok` in plain text. */
function failureIn(body: string): { reason: string; retry: boolean } | undefined {
  const answer = parseJson(body);
  // Plain text: an incoming webhook, which reports by its status.
  if (!isRecord(answer) || answer.ok !== false) return undefined;
  const error = String(answer.error ?? '');
  const code = /^[a-z_]{1,60}$/.test(error) ? error : 'without a reason';
  return { reason: `Slack refused it: ${code}`, retry: PASSING.has(code) };
}
