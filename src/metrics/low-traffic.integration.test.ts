import { afterEach, describe, expect, it } from 'vitest';
import { aCanary } from '../../test/fakes/world.ts';
import type { Metric } from '../api/canary.ts';
import type { Release, Verdict } from '../api/canary-status.ts';
import { type EmbeddedPrometheus, startPrometheus } from '../embedded/prometheus/index.ts';
import { observerFor } from '../routers/observers.ts';
import { measure } from './measure.ts';

const NOW_MS = 1_000_000_000;
const SCRAPE_MS = 15_000;
let server: EmbeddedPrometheus | undefined;
afterEach(() => server?.stop());

/** So many requests a minute, a tenth of which fail; undefined: none was ever counted. */
async function verdictOn(metric: Metric, perMinute: number | undefined, release?: Partial<Release>): Promise<Verdict | undefined> {
  server = await startPrometheus({ targets: [], now: () => NOW_MS });
  const labels = { reporter: 'destination', destination_workload_namespace: 'test', destination_workload: 'podinfo' };
  for (let scrape = 0; scrape <= 6 && perMinute !== undefined; scrape += 1) {
    const tMs = NOW_MS - (6 - scrape) * SCRAPE_MS;
    for (const [code, share] of [['200', 0.9] as const, ['503', 0.1] as const]) {
      const series = { __name__: 'istio_requests_total', ...labels, response_code: code };
      server.ingest([{ labels: series, tMs, value: ((scrape * SCRAPE_MS) / 60_000) * perMinute * share }]);
    }
  }
  const canary = aCanary({ metrics: [metric] });
  const begun = {
    ...{ targetUid: 't', revision: 's1:b', observedGeneration: 2, run: 2, step: 'analysing', failedChecks: 0, iterations: 0 },
    ...{ routes: { kind: 'weighted', canary: 20 }, startedMs: 0, stepStartedMs: 0 },
  };
  const status = { phase: 'Progressing', failedChecks: 0, canaryWeight: 20, iterations: 0, release: { ...begun, ...release } };
  const [verdict] = await measure({ ...canary, ...(release && { status: status as typeof canary.status }) } as typeof canary, {
    metricsServer: server.url,
    observerFor,
    meshProvider: 'istio',
    template: async () => ({ spec: { provider: { type: 'prometheus', address: server?.url }, query: ratio } }),
    secret: async () => undefined,
    signal: new AbortController().signal,
    nowMs: NOW_MS,
    timeoutMs: 60_000,
  });
  return verdict;
}

const all = 'istio_requests_total{destination_workload="{{ target }}"}';
const ratio = `sum(rate(istio_requests_total{response_code="503"}[{{ interval }}])) / sum(rate(${all}[{{ interval }}]))`;
const trafficQuery = `sum(increase(${all}[{{ interval }}]))`;
const kinds: [string, Metric][] = [
  ['built-in', { name: 'request-success-rate', thresholdRange: { min: 99 } }],
  ['inline', { name: 'errors', query: ratio, trafficQuery, thresholdRange: { max: 0.01 } }],
  ['templated', { name: 'errors', templateRef: { name: 'errors' }, trafficQuery, thresholdRange: { max: 0.01 } }],
];

describe.each(kinds)('minimumRequests of a metric, %s', (_, metric) => {
  it('judges as ever where there are enough requests, and where it is not set', async () => {
    expect(await verdictOn({ ...metric, minimumRequests: 50 }, 60)).toMatchObject({ verdict: 'failed' });
    await server?.stop();
    expect(await verdictOn(metric, 6)).toMatchObject({ verdict: 'failed' });
  });

  it('I11: neither passes nor fails by too few requests, and shows both numbers', async () => {
    const verdict = await verdictOn({ ...metric, minimumRequests: 50 }, 6);
    expect(verdict).toMatchObject({
      verdict: 'unmeasured',
      reason: '6 requests are too few to judge by, minimumRequests is 50',
    });
    expect(verdict).not.toHaveProperty('value');
    await server?.stop();
    const lenient = { ...metric, thresholdRange: {}, minimumRequests: 50 };
    expect(await verdictOn(lenient, 6)).toMatchObject({ verdict: 'unmeasured' });
  });

  it('takes no series at all for no request', async () => {
    expect(await verdictOn({ ...metric, minimumRequests: 1 }, undefined)).toMatchObject({ reason: expect.stringMatching(/^0 requests/) });
  });

  it('E20a: waits where the window was cut short at the last revision', async () => {
    const release = { measuredFromMs: NOW_MS - 20_000, othersUntilMs: NOW_MS - 30_000 };
    expect(await verdictOn({ ...metric, minimumRequests: 50 }, 60, release)).toMatchObject({ verdict: 'unmeasured', early: true });
  });
});

it('I11: requests that cannot be counted are no verdict', async () => {
  const [, [, inline] = kinds[0] ?? []] = kinds;
  const metric = inline ?? { name: 'errors' };
  expect(await verdictOn({ ...metric, minimumRequests: 5, trafficQuery: 'sum(' }, 60)).toMatchObject({
    verdict: 'unmeasured',
    reason: expect.stringMatching(/^the requests could not be counted: .*400/),
  });
  await server?.stop();
  expect(await verdictOn({ name: 'errors', query: ratio, minimumRequests: 5 }, 60)).toMatchObject({
    verdict: 'unmeasured',
    reason: expect.stringMatching(/needs trafficQuery/),
  });
});
