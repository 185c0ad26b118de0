import { Registry } from '@prometheus-io/client';
import { expect, it } from 'vitest';
import { metersIn, metricsText } from './meters.ts';

/** Two gauges that are read at each scrape, a histogram and a counter. */
function aRegistry(read: () => void = () => undefined): Registry {
  const registry = new Registry();
  const { counter, gaugeRead, histogram } = metersIn(registry);
  for (const name of ['one', 'two'])
    gaugeRead(name, 'A gauge.', ['of'], () => {
      read();
      return [[{ of: 'a "name"' }, 1]];
    });
  histogram('three_seconds', 'A histogram.', [], [1, 2]).observe(1.5);
  counter('four_total', 'A counter.').inc();
  return registry;
}

it('the text is that of the client', async () => {
  expect(await metricsText(aRegistry())).toBe(await aRegistry().metrics());
});

it('each metric is written in a turn of the event loop of its own', async () => {
  let turn = 0;
  const readInTurns: number[] = [];
  const registry = aRegistry(() => readInTurns.push(turn));
  let isScraping = true;
  const count = (): void => {
    turn += 1;
    if (isScraping) setImmediate(count);
  };
  setImmediate(count);
  await metricsText(registry);
  isScraping = false;
  expect(new Set(readInTurns).size).toBe(2);
});
