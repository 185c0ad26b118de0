import type { Analysis } from '../../api/canary.ts';
import { comparedEntries } from '../../api/compared-entries.ts';
import { factorOf, shareOf, type ToleratedErrors } from '../../api/comparison.ts';
import { parseDuration } from '../../api/duration.ts';
import { oncePerObject } from '../../base/once.ts';
import { type Comparison, defaultComparison } from '../../judge/comparison.ts';

/** Quantile and factor of `comparison.latency`. */
export interface ComparedQuantile {
  quantile: number;
  tolerate: number;
}

/** One metric by which a canary is compared with the primary. */
export interface ComparedMetric {
  /** `errors`, `latency`, or the name of an entry of `analysis.metrics`. */
  name: string;
  comparison: Comparison;
  latency?: ComparedQuantile;
  /** Evidence under other limits says nothing under these: it starts over. */
  limits: string;
}

const DEFAULT_LATENCY: ComparedQuantile = { quantile: 0.99, tolerate: 1.2 };

/** Metrics that `analysis.comparison` compares, in the order in which they are shown (rule E120); all share its `falseAlarm`. */
export const comparedMetrics: (analysis: Analysis) => readonly ComparedMetric[] = oncePerObject((analysis) => {
  const { comparison, metrics = [] } = analysis;
  if (comparison === undefined) return [];
  const named = comparedEntries(metrics).flatMap(({ metric, not }) => (not === undefined ? metric : []));
  const shared = {
    ...defaultComparison,
    falseAlarm: comparison.falseAlarm ?? defaultComparison.falseAlarm,
    metrics: 1 + (comparison.latency ? 1 : 0) + named.length,
    warmUpMs: parseDuration(comparison.warmUp ?? '') ?? defaultComparison.warmUpMs,
    patienceMs: maxStepDurationMs(analysis),
  };
  const byErrors = (name: string, { tolerate, atLeast }: ToleratedErrors = {}): ComparedMetric => {
    const limits = {
      tolerate: tolerate === undefined ? defaultComparison.tolerate : factorOf(tolerate),
      atLeast: atLeast === undefined ? defaultComparison.atLeast : shareOf(atLeast),
    };
    return { name, comparison: { ...shared, ...limits }, limits: JSON.stringify(limits) };
  };
  return [
    byErrors('errors', comparison.errors),
    ...(comparison.latency ? [byLatency(comparison.latency, shared)] : []),
    ...named.map(({ name, compare }) => byErrors(name, compare)),
  ];
});

/** The thresholds of the buckets contain the factor already, so that the fractions above them are compared directly. */
function byLatency(spec: NonNullable<NonNullable<Analysis['comparison']>['latency']>, shared: Comparison): ComparedMetric {
  const latency: ComparedQuantile = {
    quantile: spec.quantile ?? DEFAULT_LATENCY.quantile,
    tolerate: spec.tolerate === undefined ? DEFAULT_LATENCY.tolerate : factorOf(spec.tolerate),
  };
  const comparison = { ...shared, tolerate: 1, atLeast: 0, primaryFailing: 1 };
  return { name: 'latency', comparison, latency, limits: JSON.stringify(latency) };
}

/** Maximum time for which a step waits for evidence with `pace: evidence`, in milliseconds. */
export function maxStepDurationMs({ comparison }: Analysis): number {
  return parseDuration(comparison?.maxStepDuration ?? '') ?? defaultComparison.patienceMs;
}

/** The comparison decides (`mode: gate`). */
export const isGate = ({ comparison }: Analysis): boolean => comparison?.mode === 'gate';

/** Between two checks of a gate the errors are compared as often as this, so that a disaster is found before the next check. Milliseconds. */
export const POLL_MS = 5_000;
