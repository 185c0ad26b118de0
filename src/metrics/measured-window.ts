import type { Metric } from '../api/canary.ts';
import type { Release, Verdict } from '../api/canary-status.ts';
import { parseDuration } from '../api/duration.ts';
import type { Observer } from '../api/observer.ts';
import { measuredFrom } from '../api/step.ts';
import { timestamp } from '../base/timestamp.ts';
import { defaultInterval } from './query-variables.ts';

/** The value of `{{ interval }}` in one measurement. */
export interface MeasuredWindow {
  /** A PromQL duration. */
  interval: string;
  /** Shorter than the metric's interval, since another revision answered further back. */
  isCut: boolean;
}

/** From this length on, windows are shown in whole seconds. Milliseconds. */
const WHOLE_SECONDS_FROM_MS = 10_000;

/**
 * The window of one check (rule E20a). The queries select the canary by the name of its workload, which all revisions share: a window that reaches back to the
 * last, bad revision would judge this one by its errors. It is cut only if another revision is known to be in it, so that a release after a rest uses exactly
 * the metric's window. Late counters (`counterDelayMs`) still bring requests of the other revision for a while: the window begins after them.
 */
export function measuredWindow(
  metric: Pick<Metric, 'interval'>,
  release: Release | undefined,
  nowMs: number,
  { counterDelayMs = 0 }: Pick<Observer, 'counterDelayMs'>,
): MeasuredWindow {
  const interval = metric.interval || defaultInterval;
  const lengthMs = parseDuration(interval);
  if (lengthMs === undefined || release?.measuredFromMs === undefined) return { interval, isCut: false };
  const fromMs = release.measuredFromMs + counterDelayMs;
  const othersUntilMs = Math.min(fromMs, (release.othersUntilMs ?? release.measuredFromMs) + counterDelayMs);
  if (nowMs - lengthMs >= othersUntilMs) return { interval, isCut: false };
  const leftMs = Math.max(1, Math.min(lengthMs, nowMs - fromMs));
  return { interval: leftMs < WHOLE_SECONDS_FROM_MS ? `${leftMs}ms` : `${Math.floor(leftMs / 1000)}s`, isCut: true };
}

/** The verdict on a metric during its initial delay, counted from the time when the canary can get requests; undefined after it. */
export function delayed({ name, initialDelay }: Metric, release: Release | undefined, nowMs: number): Verdict | undefined {
  const delayMs = initialDelay === undefined ? undefined : parseDuration(initialDelay);
  const untilMs = delayMs === undefined || release === undefined ? nowMs : measuredFrom(release) + delayMs;
  if (nowMs >= untilMs) return undefined;
  const reason = `${name} is not checked before ${timestamp(untilMs)}: its initialDelay is ${initialDelay}`;
  return { check: name, verdict: 'unmeasured', early: true, reason };
}
