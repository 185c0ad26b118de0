import type { RecentMeasurement, RecentWeight, Release, Verdict } from '../api/canary-status.ts';

/** A release in ten steps, with as many falls and returns. */
const MOST_WEIGHTS = 40;

type Recent = Readonly<Record<string, readonly RecentMeasurement[]>>;

/** Measurements that are remembered of each check, and checks that are: the status must not grow with the number of metrics. */
const MOST_OF_EACH = 5;
const MOST_CHECKS = 20;

/** With those of this interval. Its verdicts are recorded anyway, so that this costs no write; a check that left the spec is forgotten. */
export function withRecent(before: Recent, verdicts: readonly Verdict[], atMs: number): Record<string, RecentMeasurement[]> {
  const recent: Record<string, RecentMeasurement[]> = {};
  for (const { check, verdict, value, early } of verdicts.slice(0, MOST_CHECKS)) {
    const known = recent[check] ?? [...(before[check] ?? [])];
    const now = early ? [] : [{ atMs, verdict, ...(value === undefined ? {} : { value }) }];
    recent[check] = [...known, ...now].slice(-MOST_OF_EACH);
  }
  return recent;
}

/**
 * Adds the present weight if it has changed; the first weight of the release is kept, for its start. Written along with other changes, so that it costs no
 * write.
 */
export function withRecentWeight(release: Release, weight: number, atMs: number): Release {
  const { run, weights = [] } = release;
  if (run === 0 || weights.at(-1)?.weight === weight) return release;
  const all: RecentWeight[] = [...weights, { atMs, weight }];
  return { ...release, weights: all.length > MOST_WEIGHTS ? [...all.slice(0, 1), ...all.slice(1 - MOST_WEIGHTS)] : all };
}
