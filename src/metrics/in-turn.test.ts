import { expect, it } from 'vitest';
import { NoTurnError } from '../api/turns.ts';
import { inTurn } from './in-turn.ts';
import type { Measurement } from './providers/metric-provider.ts';

const { signal } = new AbortController();
const kindOf = ({ kind }: Measurement) => kind;

it.each<Measurement>([
  { kind: 'value', value: 1 },
  { kind: 'noData', reason: 'no series' },
  { kind: 'error', reason: 'HTTP 503' },
])('a query whose outcome is $kind is timed under its backend and that word', async (measured) => {
  const timed: string[] = [];
  const timeQuery = (type: string) => {
    timed.push(`${type} is asked`);
    return (result: string) => timed.push(`${type}: ${result}`);
  };
  const run = async () => {
    timed.push('it works');
    return measured;
  };
  expect(await inTurn('datadog', run, kindOf, { timeQuery, signal })).toEqual(measured);
  expect(timed).toEqual(['datadog is asked', 'it works', `datadog: ${measured.kind}`]);
});

it('a query that was cancelled has no time', async () => {
  const timed: string[] = [];
  const cancelled = new AbortController();
  const run = async (): Promise<Measurement> => {
    cancelled.abort();
    return { kind: 'error', reason: 'cancelled' };
  };
  await inTurn('prometheus', run, kindOf, { timeQuery: () => (result) => timed.push(result), signal: cancelled.signal });
  expect(timed).toEqual([]);
});

it('I15, I11: a query that gets no turn is not sent and not timed, and the result has that reason', async () => {
  const done: string[] = [];
  const run = async (): Promise<Measurement> => {
    done.push('sent');
    return { kind: 'value', value: 1 };
  };
  const timeQuery = () => {
    done.push('timed');
    return () => undefined;
  };
  const turns = { run: () => Promise.reject(new NoTurnError(4, 'none has ended')) };
  expect(await inTurn('prometheus', run, kindOf, { turns, timeQuery, signal })).toEqual({
    kind: 'error',
    reason: expect.stringMatching(/^the query was not sent: this namespace has 4 calls under way/),
  });
  expect(done).toEqual([]);
});
