import type { Delivery, Release } from '../../api/canary-status.ts';
import { timestamp } from '../../api/timestamp.ts';
import { type Alert, alertDeliveries } from '../alerts.ts';
import { type Seen, withDeliveries } from '../context.ts';
import { progressDeadlineMs } from '../deadlines.ts';
import { overLimit } from '../failure-limits.ts';
import { hasHooks } from '../strategy.ts';
import { isHeld, judgement, judgementOf, refusal } from './answer.ts';
import { now } from './change.ts';

/** With an alert of it listed (rule E64). */
export function alerting(seen: Seen, from: Release, alert: Alert): Release {
  return withDeliveries(from, alertDeliveries(seen, from, alert));
}

type Outcome = NonNullable<Delivery['outcome']>;

/** The release has ended: what is told of it, to whom, is listed before anything acts (E30, E54). */
export function terminal(
  seen: Seen,
  from: Release,
  outcome: Outcome,
  message: string,
  alert?: Pick<Alert, 'reason' | 'severity' | 'verdicts'>,
): Release {
  const hooks = outcome === 'Succeeded' || outcome === 'Failed';
  const kinds: Delivery['kind'][] = ['event'];
  if (hooks && hasHooks(seen.event.facts.canary, 'post-rollout')) kinds.push('post-rollout');
  const key = `${seen.event.facts.canary.metadata.uid}/${from.run}/${from.revision}/${outcome}`;
  const listed = withDeliveries(
    from,
    kinds.map((kind) => ({ key: `${key}/${kind}`, kind, outcome, message, sinceMs: now(seen) })),
  );
  return alert ? alerting(seen, listed, { ...alert, outcome, message }) : listed;
}

/** Why the release is taken back. */
export function failure(seen: Seen): string {
  const { context, event } = seen;
  const { target } = event.facts;
  if (event.type === 'ANSWER' && event.answer.kind === 'runHooks' && event.answer.outcome === 'passed')
    return 'a rollback hook asked for it';
  if (event.type === 'REQUEST') return `${event.request.by} asked for it`;
  if (isHeld(seen)) {
    const { blindSinceMs = event.facts.nowMs } = context.release;
    return `checks could not be measured for ${Math.round((event.facts.nowMs - blindSinceMs) / 1000)} s, since ${timestamp(blindSinceMs)}: ${judgement(seen)}`;
  }
  const over = judgementOf(seen) && overLimit(context.release.failures ?? {}, event.facts.canary.spec.analysis);
  if (over) return `${over.name} failed ${over.failures} times, more than its failureLimit of ${over.limit}, last: ${judgement(seen)}`;
  if (event.type === 'ANSWER') return `${context.release.failedChecks} failed checks, last: ${refusal(seen) || judgement(seen)}`;
  if (target?.readiness.state === 'stalled')
    return `the canary cannot become ready: ${target.readiness.reason ?? 'its rollout is stalled'}`;
  const { refused } = event.facts;
  if (event.facts.nowMs >= (refused?.uncheckedUntilMs ?? Number.POSITIVE_INFINITY))
    return `nobody could check the canary any longer, since its spec is refused: ${refused?.message}`;
  const seconds = progressDeadlineMs(event.facts.canary) / 1000;
  const { capacity } = context.release;
  if (capacity?.side === 'target') {
    return `the canary did not get the ${capacity.pods} pods that its next step needs within ${seconds} s: ${target?.readiness.ready ?? 0} are ready`;
  }
  return `the canary was not ready within ${seconds} s${target?.readiness.reason ? `: ${target.readiness.reason}` : ''}`;
}
