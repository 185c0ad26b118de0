import { expect, it } from 'vitest';
import type { Measurement } from './providers/metric-provider.ts';
import { timedBackend } from './timed-backend.ts';

const backendThat = (runQuery: () => Promise<Measurement>) => ({ runQuery, isOnline: async () => undefined });

it.each<Measurement>([
  { kind: 'value', value: 1 },
  { kind: 'noData', reason: 'no series' },
  { kind: 'error', reason: 'HTTP 503' },
])('06-F13: a query whose outcome is $kind is timed under its backend and that word', async (measured) => {
  const timed: string[] = [];
  const timeQuery = (type: string) => {
    timed.push(`${type} is asked`);
    return (result: string) => timed.push(`${type}: ${result}`);
  };
  const backend = timedBackend(
    'datadog',
    backendThat(async () => {
      timed.push('it works');
      return measured;
    }),
    { timeQuery },
  );
  expect(await backend.runQuery('up', new AbortController().signal)).toEqual(measured);
  expect(timed).toEqual(['datadog is asked', 'it works', `datadog: ${measured.kind}`]);
});

it('06-F13: a query that was cancelled has no time', async () => {
  const timed: string[] = [];
  const cancelled = new AbortController();
  const backend = timedBackend(
    'prometheus',
    backendThat(async () => {
      cancelled.abort();
      return { kind: 'error', reason: 'cancelled' };
    }),
    { timeQuery: () => (result) => timed.push(result) },
  );
  await backend.runQuery('up', cancelled.signal);
  expect(timed).toEqual([]);
});
