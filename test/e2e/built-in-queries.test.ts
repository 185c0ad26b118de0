import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import type { Verdict } from '../../src/api/canary-status.ts';
import { measure } from '../../src/metrics/measure.ts';
import { observerFor } from '../../src/routers/index.ts';
import { parsedCanary } from '../fakes/parsed-canary.ts';
import { type RealPrometheus, startRealPrometheus } from './real-prometheus.ts';

let exposition: Server | undefined;
let prometheus: RealPrometheus | undefined;
afterEach(async () => {
  await prometheus?.stop();
  exposition?.close();
});

const canary = parsedCanary(
  { analysis: { interval: '1m', metrics: [{ name: 'request-success-rate', interval: '10s', thresholdRange: { min: 99 } }] } },
  { name: 'app' },
);

/** The verdict on an application whose counters grow by so much a scrape, as soon as there is one of this kind. */
async function verdictOn(perScrape: Readonly<Record<string, number>>, awaited: Verdict['verdict']): Promise<Verdict | undefined> {
  let scrapes = 0;
  const workload = 'reporter="destination",destination_workload_namespace="test",destination_workload="app"';
  exposition = createServer((_, response) => {
    scrapes += 1;
    const lines = Object.entries(perScrape).map(
      ([code, count]) => `istio_requests_total{${workload},response_code="${code}"} ${count * scrapes}\n`,
    );
    response.setHeader('content-type', 'text/plain; version=0.0.4');
    response.end(`# TYPE istio_requests_total counter\n${lines.join('')}`);
  });
  await new Promise<void>((resolve) => {
    exposition?.listen(0, '127.0.0.1', resolve);
  });
  const { port } = exposition.address() as AddressInfo;
  prometheus = await startRealPrometheus({ targets: [`http://127.0.0.1:${port}/metrics`], scrapeIntervalMs: 500 });
  let verdict: Verdict | undefined;
  const ask = async () => {
    const [now] = await measure(canary, {
      metricsServer: prometheus?.url ?? '',
      observerFor,
      meshProvider: 'istio',
      template: async () => undefined,
      secret: async () => undefined,
      signal: AbortSignal.timeout(90_000),
      nowMs: Date.now(),
      timeoutMs: 5_000,
    });
    verdict = now;
    return scrapes > 4 ? now?.verdict : undefined;
  };
  await expect.poll(ask, { timeout: 90_000, interval: 200 }).toBe(awaited);
  return verdict;
}

it('a real Prometheus gives 0% when nothing but errors was counted', async () => {
  expect(await verdictOn({ 503: 7 }, 'failed')).toMatchObject({ value: 0 });
});

it('a real Prometheus gives the share of successes when there are any', async () => {
  expect(await verdictOn({ 503: 5, 200: 15 }, 'failed')).toMatchObject({ value: expect.closeTo(75, 0) });
});

it('I11: a real Prometheus without requests gives no verdict', async () => {
  expect(await verdictOn({ 503: 0 }, 'unmeasured')).not.toHaveProperty('value');
});
