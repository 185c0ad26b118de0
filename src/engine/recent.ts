import type { RecentMeasurement, Verdict } from '../api/canary-status.ts';

type Recent = Readonly<Record<string, readonly RecentMeasurement[]>>;

/** Measurements that are remembered of each check, and checks that are: the status must not grow with the number of metrics. */
const MOST_OF_EACH = 5;
const MOST_CHECKS = 20;

/** With those of this tick (05-W26). A tick is recorded anyway, so that this costs no write; a check that left the spec is forgotten. */
export function withRecent(before: Recent, verdicts: readonly Verdict[], atMs: number): Record<string, RecentMeasurement[]> {
  const recent: Record<string, RecentMeasurement[]> = {};
  for (const { check, verdict, value, early } of verdicts.slice(0, MOST_CHECKS)) {
    const known = recent[check] ?? [...(before[check] ?? [])];
    const now = early ? [] : [{ atMs, verdict, ...(value === undefined ? {} : { value }) }];
    recent[check] = [...known, ...now].slice(-MOST_OF_EACH);
  }
  return recent;
}
