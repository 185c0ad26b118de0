import type { Canary, HookType } from '../../api/canary.ts';
import type { Delivery, Release } from '../../api/canary-status.ts';
import { type Ending, endingSentence } from '../../api/ending.ts';
import { MOST_PAST_RELEASES, type PastRelease, pastRelease } from '../../api/past-release.ts';
import { alertDeliveries, type ReleaseAlert } from '../alerts.ts';
import { type Input, withDeliveries } from '../context.ts';
import { now, who } from './change.ts';

/** A release with an alert about it added (rule E64). */
export function withAlert(input: Input, from: Release, alert: ReleaseAlert): Release {
  return withDeliveries(from, alertDeliveries(input.event.facts, from, alert));
}

type DeliveryOutcome = NonNullable<Delivery['outcome']>;

/** The release has ended, and its reason is recorded: every message about it, with its receiver, is listed before anything acts (E30, E54). */
export function withEnding(
  input: Input,
  from: Release,
  outcome: DeliveryOutcome,
  ending: Ending,
  alert?: Pick<ReleaseAlert, 'reason' | 'severity' | 'isOfCommit'>,
): Release {
  const { canary, globalEvents } = input.event.facts;
  const message = endingSentence(ending, who(input));
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
  const ended = { ...listed, ending, ...(outcome !== 'Succeeded' && { pastReleases: withPast(from, ending) }) };
  return alert ? withAlert(input, ended, { ...alert, outcome, message, ending }) : ended;
}

/** The remembered releases with this one, which has just ended. */
function withPast({ run, revision, startedMs, change, pastReleases = [] }: Release, ending: Ending): PastRelease[] {
  const last = pastRelease({ run, revision, startedMs, ...(change && { images: change.images }), ending });
  return [...pastReleases, last].slice(-MOST_PAST_RELEASES);
}

/** Hooks in order; hooks with the same name are numbered. */
function hooksNamed({ spec }: Canary, type: HookType): NonNullable<Delivery['hook']>[] {
  const names = (spec.analysis.webhooks ?? []).flatMap((one) => (one.type === type ? [one.name] : []));
  return names.map((name, index) => ({ name, nth: names.slice(0, index).filter((other) => other === name).length }));
}
