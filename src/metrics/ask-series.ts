import type { MeasureDependencies } from './measure-dependencies.ts';
import type { SeriesAnswer, SeriesProvider } from './providers/metric-provider.ts';
import { reasonOf } from './queued-backend.ts';
import { shortened } from './shortened-query.ts';

/** Series of one query, asked when it is the turn of the namespace; its time is taken as that of a check. */
export async function askSeries(
  server: SeriesProvider,
  query: string,
  { turns, timeQuery, queryAsked, signal }: MeasureDependencies,
): Promise<SeriesAnswer> {
  queryAsked?.(shortened(query));
  const ask = async (): Promise<SeriesAnswer> => {
    const ended = timeQuery?.('prometheus');
    const answer = await server.readSeries(query, signal);
    if (!signal.aborted) ended?.(answer.kind === 'error' ? 'error' : answer.series.length === 0 ? 'noData' : 'value');
    return answer;
  };
  if (!turns) return ask();
  return turns.run(ask, signal).catch((error: unknown) => ({ kind: 'error', reason: reasonOf(error, signal) }));
}
