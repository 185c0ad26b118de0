import { blockerText } from '../../api/blocker-text.ts';
import type { Canary, HookType } from '../../api/canary.ts';
import type { Delivery, Release } from '../../api/canary-status.ts';
import { timestamp } from '../../api/timestamp.ts';
import { alertDeliveries, type ReleaseAlert } from '../alerts.ts';
import { harmOf } from '../comparison/harm.ts';
import { isEndedByFailing, isUnreadyTooLong } from '../conditions/failing.ts';
import { type Input, withDeliveries } from '../context.ts';
import { progressDeadlineMs, rolloutDeadlineMs } from '../deadlines.ts';
import { failingOf, lastFailing } from '../failing.ts';
import { overLimit } from '../failure-limits.ts';
import { failedReason, isHeld, judgement, judgementOf } from './answer.ts';
import { now } from './change.ts';

/** With an alert of it listed (rule E64). */
export function alerting(input: Input, from: Release, alert: ReleaseAlert): Release {
  return withDeliveries(from, alertDeliveries(input.event.facts, from, alert));
}

type DeliveryOutcome = NonNullable<Delivery['outcome']>;

/** The release has ended: every message about it, and its receiver, is listed before anything acts (E30, E54). */
export function terminal(
  input: Input,
  from: Release,
  outcome: DeliveryOutcome,
  message: string,
  alert?: Pick<ReleaseAlert, 'reason' | 'severity' | 'verdicts'>,
): Release {
  const { canary, globalEvents } = input.event.facts;
  const common = { outcome, message, revision: from.revision, sinceMs: now(input) };
  const key = `${canary.metadata.uid}/${from.run}/${from.revision}/${outcome}`;
  const toHooks = (kind: Delivery['kind'], hooks: readonly NonNullable<Delivery['hook']>[]): Delivery[] =>
    hooks.map((hook) => ({ ...common, key: `${key}/${kind}/${hook.name}${hook.nth > 0 ? `/${hook.nth}` : ''}`, kind, hook }));
  const listeners = toHooks('event-webhook', hooksNamed(canary, 'event'));
  const toAll: Delivery[] =
    globalEvents && listeners.length === 0 ? [{ ...common, key: `${key}/event-webhook`, kind: 'event-webhook' }] : [];
  const isEnd = outcome === 'Succeeded' || outcome === 'Failed';
  const listed = withDeliveries(from, [
    { ...common, key: `${key}/event`, kind: 'event' },
    ...listeners,
    ...toAll,
    ...(isEnd ? toHooks('post-rollout', hooksNamed(canary, 'post-rollout')) : []),
  ]);
  return alert ? alerting(input, listed, { ...alert, outcome, message }) : listed;
}

/** In order; of those that share a name, each by its place among them. */
function hooksNamed({ spec }: Canary, type: HookType): NonNullable<Delivery['hook']>[] {
  const names = (spec.analysis.webhooks ?? []).flatMap((one) => (one.type === type ? [one.name] : []));
  return names.map((name, index) => ({ name, nth: names.slice(0, index).filter((other) => other === name).length }));
}

/** Why the release is rolled back, with this many failed checks. */
export function failure(input: Input, failedChecks: number): string {
  const { context, event } = input;
  const { target } = event.facts;
  if (event.type === 'STOP') return 'harm' in event.by ? event.by.harm : `the rollback hook ${event.by.webhook} asked for it`;
  if (event.type === 'REQUEST') return `${event.request.by} asked for it`;
  const harm = event.type === 'ANSWER' ? harmOf(context.release, event.facts.canary) : undefined;
  if (harm !== undefined) return harm;
  if (isHeld(input) && !isEndedByFailing(input)) {
    const { blindSinceMs = event.facts.nowMs } = context.release;
    return `checks could not be measured for ${Math.round((event.facts.nowMs - blindSinceMs) / 1000)} s, since ${timestamp(blindSinceMs)}: ${judgement(input)}`;
  }
  const over = judgementOf(input) && overLimit(context.release.failures ?? {}, event.facts.canary.spec.analysis);
  if (over) return `${over.name} failed ${over.failures} times, more than its failureLimit of ${over.limit}, last: ${judgement(input)}`;
  if (event.type === 'ANSWER') return `${failedChecks} failed checks, last: ${failedReason(input)}`;
  if (isEndedByFailing(input)) return `${failedChecks} failed checks, last: ${failingOf(context.release, event.facts)}`;
  if (target?.readiness.state === 'stalled')
    return `the canary cannot become ready: ${target.readiness.reason ?? 'its rollout is stalled'}`;
  const { refused } = event.facts;
  if (event.facts.nowMs >= (refused?.uncheckedUntilMs ?? Number.POSITIVE_INFINITY))
    return `the canary could not be checked any longer, since its spec is refused: ${refused?.message}`;
  const seconds = progressDeadlineMs(event.facts.canary) / 1000;
  if (event.facts.unroutable)
    return `no route could send traffic to the canary within ${seconds} s: ${blockerText(event.facts.unroutable)}`;
  // All its waits together, and not the last one alone.
  const failing = lastFailing(context.release, event.facts);
  if (isUnreadyTooLong(input) && context.release.failing?.unreadyMs !== 0)
    return `the canary was not ready for ${seconds} s in all${failing ? `, last: ${failing}` : ''}`;
  const { capacity } = context.release;
  if (capacity?.side === 'target') {
    return `the canary did not get the ${capacity.pods} pods that its next step needs within ${seconds} s: ${target?.readiness.ready ?? 0} are ready`;
  }
  // The clock of the next step runs already.
  const { stepStartedMs } = context.recorded?.release ?? context.release;
  const hasRolled = rolloutDeadlineMs(event.facts.canary, stepStartedMs, target) > stepStartedMs + seconds * 1000;
  const waited = hasRolled ? `is not ready, and got no further pod for ${seconds} s` : `was not ready within ${seconds} s`;
  const why = [target?.readiness.reason, failing].filter((one) => one !== undefined);
  return `the canary ${waited}${why.length > 0 ? `: ${why.join('; ')}` : ''}`;
}
