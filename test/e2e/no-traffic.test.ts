import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Verdict } from '../../src/api/canary-status.ts';
import { measure } from '../../src/metrics/measure.ts';
import { observerFor } from '../../src/routers/index.ts';
import { parsedCanary } from '../fakes/parsed-canary.ts';
import { type RealPrometheus, startRealPrometheus } from './real-prometheus.ts';

const SCRAPE_MS = 1_000;
const ISTIO = 'reporter="destination",response_code="200"';

/** Lines of a target: what each situation scrapes. */
const situations: Readonly<Record<string, { lines: readonly string[]; verdict: Partial<Verdict> }>> = {
  'no request to the canary': {
    lines: [`istio_requests_total{${ISTIO},destination_workload_namespace="test",destination_workload="podinfo-primary"} 7`],
    verdict: { code: 'NoTraffic', reason: 'no request reached the canary in the last 10s' },
  },
  'other workloads only': {
    lines: ['cart', 'blog'].map(
      (name) => `istio_requests_total{${ISTIO},destination_workload_namespace="test",destination_workload="${name}"} 7`,
    ),
    verdict: { code: 'WorkloadUnknown', reason: expect.stringContaining('other workloads in namespace test (blog, cart)') },
  },
  'other labels': {
    lines: [`istio_requests_total{app="podinfo"} 7`],
    verdict: { code: 'LabelsDiffer', reason: expect.stringMatching(/has it with app, instance, job$/) },
  },
  'no such metric': {
    lines: ['process_start_time_seconds 7'],
    verdict: { code: 'MetricNotScraped', reason: 'the metrics server has no metric istio_requests_total of any workload' },
  },
};

describe.each(Object.entries(situations))('a built-in check on a real Prometheus: %s', (_, { lines, verdict }) => {
  let server: RealPrometheus;
  const target = createServer((_request, response) => {
    response.setHeader('content-type', 'text/plain; version=0.0.4');
    response.end(`${lines.join('\n')}\n`);
  });
  beforeAll(async () => {
    await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve));
    const { port } = target.address() as AddressInfo;
    server = await startRealPrometheus({ targets: [`http://127.0.0.1:${port}/metrics`], scrapeIntervalMs: SCRAPE_MS });
  });
  afterAll(async () => {
    await server.stop();
    target.closeAllConnections();
    await new Promise((resolve) => target.close(resolve));
  });

  it('has the code and the sentence of that', async () => {
    const metrics = [{ name: 'request-success-rate', interval: '10s', thresholdRange: { min: 99 } }];
    const canary = parsedCanary({ analysis: { interval: '10s', metrics } });
    const measured = () =>
      measure(canary, {
        metricsServer: server.url,
        observerFor,
        meshProvider: 'istio',
        template: async () => undefined,
        secret: async () => undefined,
        signal: new AbortController().signal,
        nowMs: Date.now(),
        timeoutMs: 10_000,
      });
    // The first scrape is awaited.
    await expect
      .poll(measured, { timeout: 30_000, interval: SCRAPE_MS })
      .toEqual([
        expect.objectContaining({ verdict: 'unmeasured', requests: 0, query: expect.stringContaining('istio_requests_total'), ...verdict }),
      ]);
  });
});
