import * as z from 'zod';
import { BlockedObject, LONGEST_DETAIL } from './blocker.ts';
import type { Actor } from './blockers.ts';
import { defined } from './defined.ts';
import type { Phase } from './phase.ts';
import { PodFailing } from './pod-failing.ts';
import { LONGEST_NAME } from './verb-request.ts';

type Outcome = 'promoted' | 'promotionFailed' | 'rolledBack' | 'superseded' | 'cancelled';

/** What a code of an ending says by itself. */
interface EndingMeaning {
  outcome: Outcome;
  /** A clause, so that it can follow a colon. */
  meaning: string;
  /** Who can do what `remedy` says. */
  actor: Actor;
  /** Words in capitals are filled in: TARGET, CANARY, NAMESPACE, METRIC, WEBHOOK, FIELD. */
  remedy: string;
  /** The remedy is another version of the target. */
  isOfVersion?: boolean;
}

const as =
  (outcome: Outcome) =>
  (actor: Actor, meaning: string, remedy: string, more: Pick<EndingMeaning, 'isOfVersion'> = {}): EndingMeaning => ({
    outcome,
    meaning,
    actor,
    remedy,
    ...more,
  });
const promoted = as('promoted');
const rolledBack = as('rolledBack');

const RETRY = 'if the version is good, release it again with serin retry CANARY -n NAMESPACE';
const CORRECT = `push a corrected TARGET; ${RETRY}`;
const OF_VERSION = { isOfVersion: true } as const;
const NONE = 'none needed: the next edit of TARGET starts a release';

/** The closed list of what ends a release: `status.release.ending.code`. Programs may match on the names; docs/reasons.md is made from it. */
export const endings = {
  Succeeded: promoted('byItself', 'the analysis passed, and the primary serves the new revision', NONE),
  AnalysisSkipped: promoted('canaryOwner', 'the revision was promoted without an analysis, as `spec.skipAnalysis` says', NONE),
  PromotedByUser: promoted('canaryOwner', 'a user asked for the promotion', NONE),
  PromotionFailed: as('promotionFailed')(
    'workloadOwner',
    'the primary could not take the promoted revision; its last template is restored',
    'correct what keeps the pods of the primary from becoming ready, then push a corrected TARGET',
    OF_VERSION,
  ),
  Superseded: as('superseded')(
    'workloadOwner',
    'a newer revision took the place of this one',
    'none needed: the newer revision is released',
  ),
  Cancelled: as('cancelled')('workloadOwner', 'the target is back at the promoted revision', NONE),
  ChecksFailed: rolledBack(
    'workloadOwner',
    'checks were out of their range as often as they may, or not measured where `analysis.unmeasured` is `fail`',
    CORRECT,
    OF_VERSION,
  ),
  UnmeasuredTooLong: rolledBack(
    'metricsOwner',
    'checks could not be measured for the progress deadline',
    'restore the metrics, then release it again with serin retry CANARY -n NAMESPACE',
  ),
  ComparedWorse: rolledBack('workloadOwner', 'by `analysis.comparison` the canary was worse than the primary', CORRECT, OF_VERSION),
  HookRejected: rolledBack(
    'gateOwner',
    'a webhook refused as often as checks may fail',
    `ask the owner of WEBHOOK what it refuses, and push a corrected TARGET; ${RETRY}`,
    OF_VERSION,
  ),
  PodsFailing: rolledBack(
    'workloadOwner',
    'the pods of the canary crashed, or lost their readiness, as often as checks may fail',
    CORRECT,
    OF_VERSION,
  ),
  RolloutStalled: rolledBack('workloadOwner', 'the rollout of the canary failed, or exceeded its own deadline', CORRECT, OF_VERSION),
  NotReadyInTime: rolledBack('workloadOwner', 'the canary was not ready for the progress deadline', CORRECT, OF_VERSION),
  PodsNotStopped: rolledBack(
    'workloadOwner',
    'pods that have read old configs did not stop within the progress deadline',
    `find what keeps the pods of TARGET from ending; ${RETRY}`,
  ),
  InsufficientCapacity: rolledBack(
    'clusterAdmin',
    'the canary did not get the pods for its next step within the progress deadline',
    'ask the administrator of the cluster for more capacity, then release it again with serin retry CANARY -n NAMESPACE',
  ),
  UnroutableTooLong: rolledBack(
    'canaryOwner',
    'the routes could not be written for the progress deadline',
    'correct what the message names, then release it again with serin retry CANARY -n NAMESPACE',
  ),
  RefusedTooLong: rolledBack(
    'canaryOwner',
    'the spec was refused for so long that the canary could not be checked any longer',
    'correct FIELD, then release it again with serin retry CANARY -n NAMESPACE',
  ),
  RolledBackByHook: rolledBack('gateOwner', 'a rollback hook asked for it', `ask the owner of WEBHOOK why; ${CORRECT}`, OF_VERSION),
  RolledBackByUser: rolledBack('canaryOwner', 'a user asked for it', CORRECT, OF_VERSION),
  Unrecorded: rolledBack('workloadOwner', 'an earlier version of Serin ended it, and has recorded the words alone', CORRECT, OF_VERSION),
} as const satisfies Record<string, EndingMeaning>;
export type EndingCode = keyof typeof endings;

const codes = Object.keys(endings) as [EndingCode, ...EndingCode[]];
/** Checks that are kept; more are counted. */
const MOST_CHECKS = 5;
/** Characters of the limit and the reason of one check. */
const LONGEST_VALUE = 300;

/** A check as those who read of an end or an alert see it. */
export const ShownCheck = z.object({
  check: z.string().describe('Its name.'),
  verdict: z.enum(['passed', 'failed', 'unmeasured']).describe('`failed`, or `unmeasured`.'),
  value: z.number().optional().describe('Its last value.'),
  limit: z.string().optional().describe('Its accepted range.'),
  reason: z.string().optional().describe('Why it failed or is unmeasured.'),
});
export type ShownCheck = z.infer<typeof ShownCheck>;

/** What ended a release, made once, when it was decided. Code acts on the fields; `detail` alone is prose, and is shown and never parsed. */
export const Ending = z.object({
  code: z.enum(codes).describe('From a closed list (docs/reasons.md).'),
  atMs: z.number().describe('When it was decided, in epoch milliseconds.'),
  metric: z.string().optional().describe('Name of the check or of the compared metric that decided; the first one of several.'),
  checks: z
    .array(ShownCheck)
    .max(MOST_CHECKS)
    .optional()
    .describe('Checks that did not pass in the deciding interval, with value and limit.'),
  moreChecks: z.int().optional().describe('Number of those that are not listed.'),
  webhook: z.string().optional().describe('Name of the webhook that decided.'),
  object: BlockedObject.optional().describe('Object concerned.'),
  pod: PodFailing.optional().describe('The last failing of a pod of the canary: its container, exit code and reason.'),
  field: z.string().optional().describe('Path of the field that decides it, in the Canary.'),
  requester: z.string().optional().describe('User name of who asked for it.'),
  detail: z.string().describe('The cause in words; not for programs.'),
});
export type Ending = z.infer<typeof Ending>;

/** The texts shortened to what is stored. */
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

function shownCheck({ check, verdict, value, limit, reason }: ShownCheck): ShownCheck {
  return defined({
    check: short(check, LONGEST_NAME),
    verdict,
    value,
    limit: short(limit, LONGEST_VALUE),
    reason: short(reason, LONGEST_VALUE),
  });
}

function short<T extends string | undefined>(text: T, most: number): T {
  return (text !== undefined && text.length > most ? `${text.slice(0, most - 1).toWellFormed()}…` : text) as T;
}

/**
 * What ended the last release of a Canary that stands in this phase; undefined while none has ended. The words alone of one that an earlier version
 * has ended, whose time is that of its last step.
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
  const { outcome } = endings[code];
  return outcome === 'rolledBack' || outcome === 'promotionFailed';
}

/** One clause: how the release ended, and why. */
export function endingClause(ending: Ending): string {
  const { code, detail } = ending;
  if (code === 'Succeeded') return 'Succeeded';
  const how = isFailure(ending) ? 'Failed' : endings[code].outcome === 'promoted' ? 'Succeeded' : code;
  return `${how} (${detail})`;
}

/** One sentence for events and alerts; `who` is the Canary as they name it. */
export function endingSentence(ending: Ending, who: string): string {
  const { code, detail } = ending;
  const { outcome } = endings[code];
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

/** What can be done about it, and by whom; names are filled in. */
export function endingRemedy(
  { code, metric, webhook, field }: Ending,
  { target, name, namespace }: { target: string; name: string; namespace: string },
): string {
  const words: Readonly<Record<string, string | undefined>> = {
    TARGET: target,
    CANARY: name,
    NAMESPACE: namespace,
    METRIC: metric,
    WEBHOOK: webhook,
    FIELD: field ?? 'the spec',
  };
  return endings[code].remedy.replace(/\b(TARGET|CANARY|NAMESPACE|METRIC|WEBHOOK|FIELD)\b/g, (word) => words[word] ?? word);
}
