import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { canary, dependencies, emptyServer } from '../../test/fakes/measuring.ts';
import type { Metric } from '../api/canary.ts';
import { measure } from './measure.ts';

const vector = '{"status":"success","data":{"resultType":"vector","result":[{"metric":{},"value":[1,"1"]}]}}';
const seen: (string | undefined)[] = [];
let waiting: (() => void)[] = [];
/** Number of requests that must have come before any is answered. */
let together = 1;
const server = createServer(({ headers }, response) => {
  seen.push(headers.authorization);
  waiting.push(() => response.end(vector));
  if (waiting.length < together) return;
  for (const answer of waiting) answer();
  waiting = [];
});
afterEach(() => {
  seen.splice(0);
  together = 1;
});

/** Measures metrics with one template each, whose Secret has the current token. */
async function measured(metrics: readonly string[], token: () => string) {
  await emptyServer();
  await new Promise<void>((resolve) => (server.listening ? resolve() : server.listen(0, '127.0.0.1', resolve)));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const all: Metric[] = metrics.map((name) => ({ name, templateRef: { name }, thresholdRange: { max: 1 } }));
  return measure(canary(all), {
    ...dependencies(),
    template: async () => ({ spec: { provider: { type: 'prometheus', address, secretRef: { name: 's' } }, query: 'q' } }),
    secret: async () => ({ token: token() }),
  });
}

it('a Secret is read for each measurement, so that a new token counts for the next one', async () => {
  for (const token of ['old', 'new']) expect(await measured(['errors'], () => token)).toMatchObject([{ verdict: 'passed' }]);
  expect(seen).toEqual(['Bearer old', 'Bearer new']);
});

it('metrics are measured in parallel', async () => {
  together = 3;
  expect(await measured(['a', 'b', 'c'], () => 't')).toMatchObject(Array.from({ length: 3 }, () => ({ verdict: 'passed' })));
});
