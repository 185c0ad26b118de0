import type { Release } from '../api/canary-status.ts';
import { isAnalysing } from '../api/step.ts';
import { defined } from '../base/defined.ts';
import { comparedByOwnClock } from './comparison/compared-so-far.ts';
import type { Facts } from './facts.ts';

/** The process that recorded the release has another clock (rule E144). */
type ReadingFacts = Pick<Facts, 'nowMs' | 'intervalMs' | 'writerBehindMs'>;

/**
 * A recorded release by the clock of this process (rule E144). One difference moves all times, so that the distances between them stay: none lies in the future,
 * and nothing is longer ago than it is.
 */
export function byOwnClock(release: Release, facts: ReadingFacts): Release {
  const { nowMs, intervalMs, writerBehindMs = 0 } = facts;
  const sinceMs = nowMs - lastRecordedMs(release);
  // A time in the future proves that the other clock was ahead; without that proof no time moves back, which would bring a deadline nearer.
  const shiftMs = sinceMs < 0 ? Math.min(sinceMs, writerBehindMs) : Math.max(0, Math.min(writerBehindMs, sinceMs));
  const moved = shiftMs === 0 ? release : shifted(release, shiftMs, nowMs);
  // A check is never set further ahead.
  const latestMs = nowMs + intervalMs;
  return isAnalysing(moved) && (moved.wakeAtMs ?? 0) > latestMs ? { ...moved, wakeAtMs: latestMs } : moved;
}

/**
 * The latest of the times that were recorded as the present. Ends of windows are not among them: they can be moments of a metrics server, which has its own
 * clock.
 */
function lastRecordedMs(release: Release): number {
  const { startedMs, stepStartedMs, awaitedSinceMs, blindSinceMs, measuredFromMs, capacity, failing, paused, ending } = release;
  const { weights = [], recent = {}, deliveries = [], requests = [] } = release;
  const measurements = Object.values(recent).flatMap((of) => of.map(({ atMs }) => atMs));
  const single = [
    release.gateClosed?.sinceMs,
    awaitedSinceMs,
    blindSinceMs,
    measuredFromMs,
    capacity?.reachedMs,
    failing?.judgedMs,
    failing?.unreadySinceMs,
  ];
  const known = [...single, paused?.sinceMs, ending?.atMs].filter((ms) => ms !== undefined);
  const listed = [...weights.map(({ atMs }) => atMs), ...deliveries.map(({ sinceMs }) => sinceMs), ...requests.map(({ atMs }) => atMs)];
  return Math.max(startedMs, stepStartedMs, ...known, ...measurements, ...listed);
}

/** All recorded times but those of `undo`, `restart` and `retry`, which are by the clock of the user. */
function shifted(release: Release, shiftMs: number, nowMs: number): Release {
  const moved = (ms: number): number => ms + shiftMs;
  const perhaps = (ms: number | undefined): number | undefined => (ms === undefined ? undefined : moved(ms));
  const at = <T extends { atMs: number }>(one: T): T => ({ ...one, atMs: moved(one.atMs) });
  const since = <T extends { sinceMs: number }>(one: T): T => ({ ...one, sinceMs: moved(one.sinceMs) });
  const { capacity, failing, paused, ending, weights, recent, deliveries, requests, comparison, pastReleases } = release;
  return {
    ...release,
    startedMs: moved(release.startedMs),
    stepStartedMs: moved(release.stepStartedMs),
    shiftedMs: (release.shiftedMs ?? 0) + shiftMs,
    ...defined({
      awaitedSinceMs: perhaps(release.awaitedSinceMs),
      blindSinceMs: perhaps(release.blindSinceMs),
      measuredFromMs: perhaps(release.measuredFromMs),
      othersUntilMs: perhaps(release.othersUntilMs),
      wakeAtMs: perhaps(release.wakeAtMs),
      capacity: capacity && { ...capacity, ...defined({ reachedMs: perhaps(capacity.reachedMs) }) },
      failing: failing && {
        ...failing,
        judgedMs: moved(failing.judgedMs),
        ...defined({ unreadySinceMs: perhaps(failing.unreadySinceMs) }),
      },
      paused: paused && since(paused),
      gateClosed: release.gateClosed && since(release.gateClosed),
      ending: ending && at(ending),
      weights: weights?.map(at),
      recent: recent && Object.fromEntries(Object.entries(recent).map(([check, of]) => [check, of.map(at)])),
      deliveries: deliveries?.map(since),
      requests: requests?.map(at),
      pastReleases: pastReleases?.map((past) => ({ ...past, startedMs: moved(past.startedMs), ending: at(past.ending) })),
      comparison: comparison && comparedByOwnClock(comparison, shiftMs, nowMs),
    }),
  };
}
