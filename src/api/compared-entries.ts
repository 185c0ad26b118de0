import type { Metric } from './canary.ts';

/** Number of entries of `analysis.metrics` with `compare` that count: each keeps up to 8 kB in the status. */
export const MOST_COMPARED = 8;
/** Compared by the counters of the provider. */
const BY_COUNTERS = ['errors', 'latency'];
/** An object cannot have it as an ordinary key. */
const NO_KEY = '__proto__';

/** Reason for which the `compare` of an entry of `analysis.metrics` does not count. */
export type NotCompared = 'noTemplate' | 'byCounters' | 'sameName' | 'tooMany';

/** The entries with `compare`, each with the reason if it does not count. Each keeps its counts under its name. */
export function comparedEntries(metrics: readonly Metric[]): readonly { metric: Metric; not?: NotCompared }[] {
  const taken = new Set([NO_KEY]);
  return metrics
    .filter(({ compare }) => compare !== undefined)
    .map((metric) => {
      const { name, templateRef } = metric;
      if (templateRef === undefined) return { metric, not: 'noTemplate' };
      if (BY_COUNTERS.includes(name)) return { metric, not: 'byCounters' };
      if (taken.has(name)) return { metric, not: 'sameName' };
      if (taken.size > MOST_COMPARED) return { metric, not: 'tooMany' };
      taken.add(name);
      return { metric };
    });
}
