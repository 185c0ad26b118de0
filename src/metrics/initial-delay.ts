import type { Metric } from '../api/canary.ts';
import type { Release, Verdict } from '../api/canary-status.ts';
import { parseDuration } from '../api/duration.ts';
import { timestamp } from '../api/timestamp.ts';

/** The verdict on a metric that is not to be asked yet, counted from when the canary can get requests; undefined once it is (05-W28). */
export function delayed({ name, initialDelay }: Metric, release: Release | undefined, nowMs: number): Verdict | undefined {
  const delayMs = initialDelay === undefined ? undefined : parseDuration(initialDelay);
  const fromMs = release?.measuredFromMs ?? release?.startedMs;
  if (delayMs === undefined || fromMs === undefined || nowMs >= fromMs + delayMs) return undefined;
  const reason = `${name} is not checked before ${timestamp(fromMs + delayMs)}: its initialDelay is ${initialDelay}`;
  return { check: name, verdict: 'unmeasured', early: true, reason };
}
