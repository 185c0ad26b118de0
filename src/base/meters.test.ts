import { Registry } from '@prometheus-io/client';
import { expect, it } from 'vitest';
import { metersIn, metricsText } from './meters.ts';

/** Three gauges that are read at each scrape, a histogram and a counter. */
function aRegistry(read: () => void = () => undefined): Registry {
  const registry = new Registry();
  const { counter, gaugeRead, histogram } = metersIn(registry);
  for (const name of ['one', 'two', 'three'])
    gaugeRead(name, 'A gauge.', ['of'], () => {
      read();
      return [[{ of: 'a "name"' }, 1]];
    });
  histogram('four_seconds', 'A histogram.', [], [1, 2]).observe(1.5);
  counter('five_total', 'A counter.').inc();
  return registry;
}

/** The turn of the event loop in which each gauge is read, if each reading takes so long. */
async function turnsOf(readingMs: number): Promise<number[]> {
  let turn = 0;
  let nowMs = 0;
  const turns: number[] = [];
  const registry = aRegistry(() => {
    turns.push(turn);
    nowMs += readingMs;
  });
  let isScraping = true;
  const count = (): void => {
    turn += 1;
    if (isScraping) setImmediate(count);
  };
  setImmediate(count);
  await metricsText(registry, { monotonicMs: () => nowMs });
  isScraping = false;
  return turns;
}

it('the text is that of the client', async () => {
  expect(await metricsText(aRegistry())).toBe(await aRegistry().metrics());
});

it.each([
  { readingMs: 5, turns: 1 },
  { readingMs: 10, turns: 2 },
  { readingMs: 50, turns: 3 },
])('three metrics that take $readingMs ms each are written in $turns turns of the event loop', async ({ readingMs, turns }) => {
  expect(new Set(await turnsOf(readingMs)).size).toBe(turns);
});
