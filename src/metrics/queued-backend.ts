import { NoTurnError } from '../api/outgoing.ts';
import type { MeasureDependencies } from './measure-dependencies.ts';
import type { MetricProvider } from './providers/metric-provider.ts';

/** The same backend, asked when it is the turn of this namespace. A query that had no turn was not measured. */
export function queuedBackend(backend: MetricProvider, { turns }: Pick<MeasureDependencies, 'turns'>): MetricProvider {
  if (!turns) return backend;
  return {
    runQuery: (query, signal) =>
      turns
        .run(() => backend.runQuery(query, signal), signal)
        .catch((error: unknown) => ({ kind: 'error', reason: reasonOf(error, signal) })),
    isOnline: (signal) => turns.run(() => backend.isOnline(signal), signal).catch((error: unknown) => reasonOf(error, signal)),
  };
}

/** Why a query had no turn; anything else is thrown on. */
export function reasonOf(error: unknown, signal: AbortSignal): string {
  if (error instanceof NoTurnError) return `the query was not sent: ${error.message}`;
  if (signal.aborted) return 'the query was cancelled';
  throw error;
}
