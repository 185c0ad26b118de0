import { blockerText } from '../api/blocker-text.ts';
import type { Verdict } from '../api/canary-status.ts';
import { boundedEnding, type Ending } from '../api/ending.ts';
import { failingText, type PodFailing } from '../api/pod-failing.ts';
import { defined } from '../base/defined.ts';
import { timestamp } from '../base/timestamp.ts';
import { decisive, failedReason, isHeld, isOfGate, judgementOf, judgementReason, refusalData } from './changes/answer.ts';
import { now, targetName } from './changes/change.ts';
import { harmOf } from './comparison/harm.ts';
import { hasFailed, isEndedByFailing, isUnreadyTooLong } from './conditions/failing.ts';
import type { Decided, Input } from './context.ts';
import { progressDeadlineMs, rolloutDeadlineMs } from './deadlines.ts';
import { failingOf, lastFailing } from './failing.ts';
import { overLimit } from './failure-limits.ts';
import { urlField } from './hook-refusal.ts';
import { blockedPrimary, blockedTarget, causeOfSide } from './states/awaited-side.ts';

/** An ending before its time is known. */
type Cause = Omit<Ending, 'atMs'>;

const madeOf = (input: Input, cause: Cause): Ending => boundedEnding({ ...cause, atMs: now(input) });

/** Reason for the end of a release that is rolled back with this many failed checks (law L8 of SPEC.md). Made once; all texts are rendered from it. */
export function rollbackEnding(input: Decided, failedChecks: number): Ending {
  return madeOf(input, byOthers(input) ?? byAnswer(input, failedChecks) ?? byPods(input, failedChecks) ?? byDeadline(input));
}

/** Reason for a promotion, made at its start: it ends the release unless the primary cannot take the revision. */
export function promotionEnding(input: Decided): Ending {
  const { event } = input;
  if (event.type === 'REQUEST') {
    const { by } = event.request;
    return madeOf(input, { code: 'PromotedByUser', requester: by, detail: `${by} requested it` });
  }
  if (event.decision === 'skipAnalysis')
    return madeOf(input, { code: 'AnalysisSkipped', field: 'spec.skipAnalysis', detail: 'without an analysis, as spec.skipAnalysis says' });
  return madeOf(input, { code: 'Succeeded', detail: 'the analysis passed' });
}

/** The primary could not take the promoted revision. */
export function failedPromotionEnding(input: Input): Ending {
  const { canary, primary } = input.event.facts;
  const why = primary?.readiness.reason ?? 'it was not ready in time';
  const detail = `the primary could not take the promoted revision: ${why}`;
  const problem = defined({ pod: primary?.problem, cause: causeOfSide(primary) });
  return madeOf(input, { code: 'PromotionFailed', object: blockedPrimary(canary), ...problem, detail });
}

/** A newer revision is released in its place. */
export const supersededEnding = (input: Input): Ending =>
  madeOf(input, { code: 'Superseded', detail: `A newer revision of ${targetName(input)} takes the place of this one` });

/** No revision is left to release. */
export const cancelledEnding = (input: Input): Ending =>
  madeOf(input, { code: 'Cancelled', detail: `${targetName(input)} is back at the promoted revision` });

/** A hook, a user or a comparison has requested it. */
function byOthers({ context, event }: Decided): Cause | undefined {
  if (event.type === 'REQUEST') {
    const { by } = event.request;
    return { code: 'RolledBackByUser', requester: by, detail: `${by} requested it` };
  }
  if (event.type === 'STOP' && 'webhook' in event.by) {
    const { webhook } = event.by;
    return { code: 'RolledBackByHook', webhook, detail: `the rollback hook ${webhook} requested it` };
  }
  const harm = event.type === 'STOP' ? harmIn(event.by) : isJudged(event) ? harmOf(context.release, event.facts.canary) : undefined;
  return harm && { code: 'ComparedWorse', metric: harm.metric, field: 'spec.analysis.comparison', detail: harm.text };
}

const harmIn = (by: Extract<Decided['event'], { type: 'STOP' }>['by']) => ('harm' in by ? by.harm : undefined);

/** An answer decided, not the facts that were seen together with it. */
const isJudged = (event: Decided['event']): boolean => event.type === 'ANSWER' && event.decision !== 'abort';

/** A gate stayed closed, or unreachable, for its time (E145). */
function byGate(input: Decided): Cause {
  const { context, event } = input;
  const { refusedBy } = refusalData(input);
  // The clock of the next step is already running.
  const { sinceMs = event.facts.nowMs } = (context.recorded?.release ?? context.release).gateClosed ?? {};
  const how = refusedBy?.isUnanswered ? 'could not be reached' : 'was closed';
  const lasted = `${Math.round((event.facts.nowMs - sinceMs) / 1000)} s, since ${timestamp(sinceMs)}`;
  const detail = `the gate ${refusedBy?.webhook} ${how} for ${lasted}: ${refusedBy?.detail}`;
  return { code: 'GateTimeout', ...defined({ webhook: refusedBy?.webhook }), field: 'spec.analysis.gateTimeout', detail };
}

/** The answer of checks or hooks reached the maximum of failures, or came too late. */
function byAnswer(input: Decided, failedChecks: number): Cause | undefined {
  const { context, event } = input;
  if (!isJudged(event)) return undefined;
  if (isOfGate(input)) return byGate(input);
  const isHeldNow = isHeld(input);
  if (isHeldNow && isEndedByFailing(input)) return undefined;
  const checks = decisive(input).map(({ check, verdict, value, requests, limit, reason }) =>
    defined({ check, verdict, value, requests, limit, reason }),
  );
  const ofChecks = { ...(checks[0] && { metric: checks[0].check }), checks };
  if (isHeldNow) {
    const { blindSinceMs = event.facts.nowMs } = context.release;
    const lasted = `${Math.round((event.facts.nowMs - blindSinceMs) / 1000)} s, since ${timestamp(blindSinceMs)}`;
    return {
      code: 'UnmeasuredTooLong',
      ...ofChecks,
      ...causeOf(decisive(input)[0]),
      detail: `checks could not be measured for ${lasted}: ${judgementReason(input)}`,
    };
  }
  const { analysis } = event.facts.canary.spec;
  const over = judgementOf(input) && overLimit(context.release.failures ?? {}, analysis);
  if (over) {
    const index = analysis.metrics?.findIndex(({ name }) => name === over.name);
    const often = `${over.name} failed ${over.failures} times, more than its failureLimit of ${over.limit}`;
    const field = `spec.analysis.metrics[${index}].failureLimit`;
    return { code: 'ChecksFailed', ...ofChecks, metric: over.name, field, detail: `${often}, last: ${judgementReason(input)}` };
  }
  const detail = `${failedChecks} failed checks, last: ${failedReason(input)}`;
  if (hasFailed(input)) return { code: 'PodsFailing', ...ofPods(input), ...ofChecks, field: THRESHOLD, detail };
  const { refusedBy } = refusalData(input);
  if (refusedBy?.isUnanswered) {
    const field = urlField(analysis.webhooks, refusedBy);
    return { code: 'WebhookUnreachable', webhook: refusedBy.webhook, ...defined({ field }), detail };
  }
  if (refusedBy) return { code: 'HookRejected', webhook: refusedBy.webhook, field: THRESHOLD, detail };
  const deciding = decisive(input);
  // A version that no check has measured was not judged: another one would end in the same way.
  const isJudgedAtAll = deciding.length === 0 || deciding.some(({ verdict }) => verdict !== 'unmeasured');
  return { code: 'ChecksFailed', ...ofChecks, field: THRESHOLD, ...(!isJudgedAtAll && causeOf(deciding[0])), detail };
}

/** Cause of a check without a value, and the object and field to correct. */
function causeOf(check: Verdict | undefined): Pick<Cause, 'cause' | 'object' | 'field'> {
  const { code, object, field } = check ?? {};
  return defined({ cause: code, object, field });
}

const THRESHOLD = 'spec.analysis.threshold';
const DEADLINE = 'spec.progressDeadlineSeconds';

/** The target, the pod that shows why it is not ready, or else the last failure of its pods, and the cause. */
function ofPods({ context, event: { facts } }: Input): Pick<Cause, 'object' | 'pod' | 'cause'> {
  const { failing, readiness } = facts.target ?? {};
  const pod = failing?.problem ?? failing?.last ?? context.release.failing?.last;
  const cause = readiness?.cause ?? pod?.cause ?? (pod && endOfContainer(pod));
  return defined({ object: blockedTarget(facts.canary), pod, cause });
}

function endOfContainer({ container, reason }: PodFailing): Cause['cause'] {
  if (container === undefined) return undefined;
  return reason === 'OOMKilled' ? 'OutOfMemory' : 'CrashLoop';
}

/** The canary has failed by itself, between two checks. */
function byPods(input: Decided, failedChecks: number): Cause | undefined {
  const { context, event } = input;
  if (event.decision === 'abort' || !isEndedByFailing(input)) return undefined;
  const detail = `${failedChecks} failed checks, last: ${failingOf(context.release, event.facts)}`;
  return { code: 'PodsFailing', ...ofPods(input), field: THRESHOLD, detail };
}

/** The release waited for a condition that does not hold in time, or never will. */
function byDeadline(input: Decided): Cause {
  const { event } = input;
  const { canary, target, refused, unroutable, nowMs } = event.facts;
  const seconds = progressDeadlineMs(canary) / 1000;
  if (event.decision === 'giveUp')
    return {
      code: 'PodsNotStopped',
      object: blockedTarget(canary),
      field: DEADLINE,
      detail: `the pods with the old configs did not stop within ${seconds} s`,
    };
  if (target?.readiness.state === 'stalled') {
    const why = target.readiness.reason ?? 'its rollout is stalled';
    return { code: 'RolloutStalled', ...ofPods(input), detail: `the canary cannot become ready: ${why}` };
  }
  if (target?.readiness.field !== undefined) {
    const { field, reason } = target.readiness;
    const detail = `no request would have come to the canary for ${seconds} s: ${reason}`;
    return { code: 'TargetUnreachable', object: blockedTarget(canary), field, detail };
  }
  if (nowMs >= (refused?.uncheckedUntilMs ?? Number.POSITIVE_INFINITY)) {
    const detail = `the canary could not be checked any longer, since its spec is refused: ${refused?.message}`;
    return { code: 'RefusedTooLong', ...defined({ field: refused?.field }), detail };
  }
  if (unroutable) {
    const detail = `no route could send traffic to the canary within ${seconds} s: ${blockerText(unroutable)}`;
    const { object, field } = unroutable;
    return { code: 'UnroutableTooLong', ...defined({ object, field }), detail };
  }
  return notReady(input, seconds);
}

/** Pods that are not ready in time: in the total of all waits, in the wait for the next step, or in the present step. */
function notReady(input: Decided, seconds: number): Cause {
  const { context, event } = input;
  const { canary, target } = event.facts;
  const { capacity, failing: counted } = context.release;
  const failing = lastFailing(context.release, event.facts);
  const late = (detail: string): Cause => ({ code: 'NotReadyInTime', ...ofPods(input), field: DEADLINE, detail });
  if (isUnreadyTooLong(input) && counted?.unreadyMs !== 0)
    return late(`the canary was not ready for ${seconds} s in all${failing ? `, last: ${failing}` : ''}`);
  if (capacity?.side === 'target') {
    const problem = target?.failing?.problem;
    const detail = `the canary did not get the ${capacity.pods} pods that its next step needs within ${seconds} s: ${target?.readiness.ready ?? 0} are ready${problem ? `; ${failingText(problem)}` : ''}`;
    return { code: 'InsufficientCapacity', ...ofPods(input), field: DEADLINE, detail };
  }
  // The clock of the next step is already running.
  const { stepStartedMs } = context.recorded?.release ?? context.release;
  const hasRolled = rolloutDeadlineMs(canary, stepStartedMs, target) > stepStartedMs + seconds * 1000;
  const waited = hasRolled ? `is not ready, and got no further pod for ${seconds} s` : `was not ready within ${seconds} s`;
  const why = [target?.readiness.reason, failing].filter((one) => one !== undefined);
  return late(`the canary ${waited}${why.length > 0 ? `: ${why.join('; ')}` : ''}`);
}
