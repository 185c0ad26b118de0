import * as z from 'zod';
import { cutText } from '../base/cut-text.ts';
import { defined } from '../base/defined.ts';
import { BlockedObject, LONGEST_DETAIL } from './blocker.ts';
import { actors, type Code, type Ended } from './codes/code.ts';
import { type EndingCause, type EndingCode, endingCauses, endingCodes, remedyOf } from './codes/codes.ts';
import { AGAIN, codes, RETRY } from './codes/list.ts';
import type { Phase } from './phase.ts';
import { PodFailing } from './pod-failing.ts';
import { LONGEST_NAME } from './verb-request.ts';

/** Effect of a code on the release that it has ended. */
export const endedBy = (code: EndingCode): Ended => codes[code].ended;

/** Number of checks that are kept; the others are counted. */
const MOST_CHECKS = 5;
/** Number of characters of the limit and the reason of one check. */
const LONGEST_VALUE = 300;

/** A check as shown to readers of an end or an alert. */
export const ShownCheck = z.object({
  check: z.string().describe('Its name.'),
  verdict: z.enum(['passed', 'failed', 'unmeasured']).describe('`failed`, or `unmeasured`.'),
  value: z.number().optional().describe('Its last value.'),
  requests: z.number().optional().describe('Approximate number of requests of the canary in its window, if they are counted.'),
  limit: z.string().optional().describe('Its accepted range.'),
  reason: z.string().optional().describe('Reason for which it failed or is unmeasured.'),
});
export type ShownCheck = z.infer<typeof ShownCheck>;

/** Reason for the end of a release, made once, when it was decided. Code acts on the fields; only `detail` is prose, which is shown and never parsed. */
export const Ending = z.object({
  code: z.enum(endingCodes).describe('From a closed list (docs/reasons.md).'),
  atMs: z.number().describe('When it was decided, in epoch milliseconds.'),
  metric: z.string().optional().describe('Name of the check or of the compared metric that decided; the first one of several.'),
  checks: z
    .array(ShownCheck)
    .max(MOST_CHECKS)
    .optional()
    .describe('Checks that did not pass in the deciding interval, with value and limit.'),
  moreChecks: z.int().optional().describe('Number of checks that are not listed.'),
  webhook: z.string().optional().describe('Name of the webhook that decided.'),
  object: BlockedObject.optional().describe('Object concerned.'),
  pod: PodFailing.optional().catch(undefined).describe('The pod that shows it: its container, exit code, reason and message.'),
  cause: z
    .enum(endingCauses)
    .optional()
    .catch(undefined)
    .describe('The cause behind the code, as `serin why` names it: its remedy is the first part of the remedy.'),
  field: z.string().optional().describe('Path of the field that decides it, in the Canary.'),
  requester: z.string().optional().describe('Name of the user who requested it.'),
  detail: z.string().describe('The cause in words; not for programs.'),
});
export type Ending = z.infer<typeof Ending>;

/** The ending with its texts shortened for storage. */
export function boundedEnding(ending: Ending): Ending {
  const { metric, webhook, field, requester, detail, checks = [], moreChecks = 0 } = ending;
  const left = moreChecks + Math.max(0, checks.length - MOST_CHECKS);
  return {
    ...ending,
    ...defined({
      metric: short(metric, LONGEST_NAME),
      webhook: short(webhook, LONGEST_NAME),
      field: short(field, LONGEST_NAME),
      requester: short(requester, LONGEST_NAME),
    }),
    ...(checks.length > 0 && { checks: checks.slice(0, MOST_CHECKS).map(shownCheck) }),
    ...(left > 0 && { moreChecks: left }),
    detail: short(detail, LONGEST_DETAIL),
  };
}

function shownCheck({ check, verdict, value, requests, limit, reason }: ShownCheck): ShownCheck {
  return defined({
    check: short(check, LONGEST_NAME),
    verdict,
    value,
    requests,
    limit: short(limit, LONGEST_VALUE),
    reason: short(reason, LONGEST_VALUE),
  });
}

function short<T extends string | undefined>(text: T, most: number): T {
  return (text === undefined ? text : cutText(text, most)) as T;
}

/**
 * End of the last release of a Canary in this phase; undefined if none has ended. A release that an earlier version has ended only has its recorded words, and
 * the time of its last step.
 */
export function endingOf(
  phase: Phase,
  release: { ending?: Ending | undefined; reason?: string | undefined; stepStartedMs: number },
): Ending | undefined {
  const { ending, reason, stepStartedMs } = release;
  const isFailed = phase === 'Failed';
  if (!isFailed && phase !== 'Succeeded') return undefined;
  if (ending !== undefined && isFailed === isFailure(ending)) return ending;
  return isFailed && reason ? { code: 'Unrecorded', atMs: stepStartedMs, detail: short(reason, LONGEST_DETAIL) } : undefined;
}

function isFailure({ code }: Ending): boolean {
  const { outcome } = endedBy(code);
  return outcome === 'rolledBack' || outcome === 'promotionFailed';
}

/** One clause: the result of the release, and its reason. */
export function endingClause(ending: Ending): string {
  const { code, detail } = ending;
  if (code === 'Succeeded') return 'Succeeded';
  const how = isFailure(ending) ? 'Failed' : endedBy(code).outcome === 'promoted' ? 'Succeeded' : code;
  return `${how} (${detail})`;
}

/** One sentence for events and alerts; `who` is their name for the Canary. */
export function endingSentence(ending: Ending, who: string): string {
  const { code, detail } = ending;
  const { outcome } = endedBy(code);
  switch (outcome) {
    case 'promoted': {
      const how = code === 'Succeeded' ? '' : code === 'AnalysisSkipped' ? ' without an analysis' : `, as ${detail}`;
      return `${who} is promoted${how}: its primary receives all traffic`;
    }
    case 'promotionFailed':
      return `Promotion of ${who} failed: ${detail}`;
    case 'rolledBack':
      return `Rolled back ${who}: ${detail}`;
    case 'superseded':
    case 'cancelled':
      return detail;
    default:
      return outcome satisfies never;
  }
}

/** Names that the remedy of an end contains; `target` is its kind and its name. */
export interface EndingNames {
  target: string;
  name: string;
  namespace: string;
}

/** Remedy of the end: that of its cause, if that is known, and how the release starts again. */
export function endingRemedy(ending: Ending, names: EndingNames): string {
  const { code, metric, webhook, field, cause } = ending;
  const words: Readonly<Record<string, string | undefined>> = {
    TARGET: names.target,
    CANARY: names.name,
    NAMESPACE: names.namespace,
    METRIC: metric ?? 'the check',
    WEBHOOK: webhook,
    FIELD: field ?? 'the spec',
    ...objectWords(names),
  };
  const remedy = cause === undefined || endedBy(code).outcome === 'promoted' ? endedBy(code).remedy : remedyOfCause(ending, cause);
  return remedy.replace(/\b(TARGET|CANARY|NAMESPACE|METRIC|WEBHOOK|FIELD|KIND|OBJECT)\b/g, (word) => words[word] ?? word);
}

/** A cause whose command names an object is of the target. */
function objectWords({ target }: EndingNames): Readonly<Record<string, string | undefined>> {
  const [kind, object] = target.split(' ');
  return { KIND: kind?.toLowerCase(), OBJECT: object };
}

function remedyOfCause({ object, field, metric, webhook }: Ending, cause: EndingCause): string {
  const { command, isOfVersion }: Code = codes[cause];
  const remedy = remedyOf(cause, { object, field, metric, webhook });
  if (isOfVersion) return `${remedy}; ${RETRY}`;
  return `${remedy}${command === undefined ? '' : ` (${command})`}, ${AGAIN}`;
}

/** The remedy is another version of the target. */
export function isRemediedByVersion({ code, cause }: Ending): boolean {
  if (cause === undefined) return endedBy(code).isOfVersion === true;
  const { isOfVersion }: Code = codes[cause];
  return isOfVersion === true;
}

/** Who can act: by the cause, if it is known. */
export const endingActor = ({ code, cause }: Ending): string => actors[codes[cause ?? code].actor];
