import type { MeasureDependencies } from './measure-dependencies.ts';
import type { MetricProvider } from './providers/metric-provider.ts';

/** The same backend, of that type; the time of each query is taken, but for those that were cancelled: they have no answer. */
export function timedBackend(type: string, backend: MetricProvider, { timeQuery }: Pick<MeasureDependencies, 'timeQuery'>): MetricProvider {
  return {
    isOnline: (signal) => backend.isOnline(signal),
    async runQuery(query, signal) {
      const ended = timeQuery?.(type);
      const measured = await backend.runQuery(query, signal);
      if (!signal.aborted) ended?.(measured.kind);
      return measured;
    },
  };
}
