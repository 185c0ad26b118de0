import { type Blocker, bounded, identityOf, MOST_BLOCKERS, type NewBlocker } from '../api/blocker.ts';
import type { Canary } from '../api/canary.ts';
import type { Release } from '../api/canary-status.ts';
import { isBlockerCode } from '../api/codes/codes.ts';
import type { Phase } from '../api/phase.ts';
import { isResting } from '../api/step.ts';
import { defined } from '../base/defined.ts';
import { timestamp } from '../base/timestamp.ts';
import { dueMs } from './due.ts';
import type { Facts, RefusedEdit } from './facts.ts';
import { gateUntilMs } from './gate-limit.ts';
import { codeOfHook, urlField } from './hook-refusal.ts';
import { blockedTarget } from './states/awaited-side.ts';
import { stateOf } from './states/lookup.ts';
import { uncheckedUntilMs } from './states/standing.ts';
import type { Standing, Wait } from './wait.ts';

/** A wait that blocks the release, with its known times, in epoch milliseconds. */
export type FoundBlocker = NewBlocker & { sinceMs?: number | undefined; untilMs?: number | undefined };

/**
 * All waits of a release in its state, the most urgent first. Waits that end by themselves within seconds come last. No deadline counts while a Canary is
 * blocked or paused (E9, E71).
 */
export function waitsOf(standing: Standing): Wait[] {
  const { canary, phase, release, facts } = standing;
  if (canary.spec.suspend === true) return [{ code: 'Suspended', field: 'spec.suspend' }];
  const { refused, blocker, unroutable, target } = facts;
  const { paused } = release;
  const isStopped = blocker !== undefined || paused !== undefined;
  const own = stateOf(phase, release.step).waits(standing, dueMs(canary, phase, release, facts));
  const missing: Wait[] = target === undefined ? [{ code: 'TargetNotFound', object: blockedTarget(canary) }] : [];
  return [
    ...(refused ? [{ ...refusedBlocker(refused), ...defined({ untilMs: uncheckedUntilMs(standing) }) }] : []),
    ...[blocker, unroutable && undated(unroutable), awaitedRoutes(release, facts)].filter((one) => one !== undefined),
    ...(paused ? [{ code: 'Paused', detail: paused.by, sinceMs: paused.sinceMs } as const] : []),
    ...[...ofHooks(canary, release), ...own].map((one) => (isStopped ? withoutUntil(one) : one)),
    ...missing,
  ];
}

/** The waits that block the release, for the list in the status. */
export function blockersOf(canary: Canary, phase: Phase, release: Release, facts: Facts): FoundBlocker[] {
  return waitsOf({ canary, phase, release, facts }).flatMap(({ code, ...wait }) => {
    const { text: _, ...about } = wait as Wait & { text?: string };
    return isBlockerCode(code) ? [{ ...about, code }] : [];
  });
}

/** Routes that are not in force, if the release waits for that. Contested routes of an idle Canary are only a condition. */
export function awaitedRoutes(release: Release, { unconfirmed }: Facts): NewBlocker | undefined {
  return unconfirmed?.code === 'RouteContested' && isResting(release) ? undefined : unconfirmed;
}

const withoutUntil = ({ untilMs: _, ...wait }: Wait): Wait => wait;

/** Its deadline counts from the time when this process first saw it; the blocker itself can be older. */
const undated = ({ sinceMs: _, ...blocker }: NonNullable<Facts['unroutable']>): NewBlocker => blocker;

export function refusedBlocker({ reason, message, field, object }: Omit<RefusedEdit, 'uncheckedUntilMs'>): FoundBlocker {
  return defined({ code: reason, object, field, detail: message });
}

/** Blockers for storage: a known blocker keeps its time, so that nothing is written while nothing changes. */
export function dated(found: readonly FoundBlocker[], before: readonly Blocker[] = [], nowMs: number): Blocker[] {
  const known = new Map(before.map((one) => [identityOf(one), one.since]));
  const all = new Map<string, Blocker>();
  for (const { sinceMs, untilMs, ...one } of found) {
    const blocker = bounded(one);
    const key = identityOf(blocker);
    const since = sinceMs === undefined ? (known.get(key) ?? timestamp(nowMs)) : timestamp(sinceMs);
    if (!all.has(key)) all.set(key, { ...blocker, since, ...(untilMs === undefined ? {} : { until: timestamp(untilMs) }) });
  }
  return [...all.values()].slice(0, MOST_BLOCKERS);
}

function ofHooks(canary: Canary, release: Release): FoundBlocker[] {
  const { refusedBy } = release;
  if (refusedBy === undefined) return [];
  const { webhook, detail } = refusedBy;
  const field = refusedBy.isUnanswered && urlField(canary.spec.analysis.webhooks, refusedBy);
  return [defined({ code: codeOfHook(refusedBy), webhook, field, detail, untilMs: gateUntilMs(canary, release) })];
}
