import { afterEach, describe, expect, it } from 'vitest';
import { aCanary } from '../../test/fakes/world.ts';
import type { Metric } from '../api/canary.ts';
import type { Release, Verdict } from '../api/canary-status.ts';
import { type EmbeddedPrometheus, startPrometheus } from '../embedded/prometheus/index.ts';
import { observerFor } from '../routers/index.ts';
import { isBuiltin } from './built-in.ts';
import { measure } from './measure.ts';
import type { MeasureDependencies } from './measure-dependencies.ts';

const NOW_MS = 1_000_000_000;
const SCRAPE_MS = 15_000;
let server: EmbeddedPrometheus | undefined;
afterEach(() => server?.stop());

/** A number of requests in a minute, of which a tenth fail; undefined if none was ever counted. */
async function verdictOn(
  metric: Metric,
  perMinute: number | undefined,
  release?: Partial<Release>,
  deps: Partial<MeasureDependencies> = {},
): Promise<Verdict | undefined> {
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
    ...deps,
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
  it('judges as usual with enough requests, and without minimumRequests', async () => {
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

  it('counts a missing series as no request', async () => {
    expect(await verdictOn({ ...metric, minimumRequests: 1 }, undefined)).toMatchObject(
      isBuiltin(metric)
        ? { code: 'MetricNotScraped', requests: 0 }
        : { code: 'NoTraffic', reason: '0 requests are too few to judge by, minimumRequests is 1' },
    );
  });

  it('E20a: waits if the window was cut at the last revision', async () => {
    const release = { measuredFromMs: NOW_MS - 20_000, othersUntilMs: NOW_MS - 30_000 };
    expect(await verdictOn({ ...metric, minimumRequests: 50 }, 60, release)).toMatchObject({ verdict: 'unmeasured', early: true });
  });
});

it('I11: requests that cannot be counted give no verdict', async () => {
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

describe.each<Metric>([
  { name: 'request-success-rate', thresholdRange: { min: 99 } },
  { name: 'request-duration', thresholdRange: { max: 500 } },
])('DF826: the requests by which $name was decided', (metric) => {
  it('are counted in the window of the check, by one more query', async () => {
    const queries: string[] = [];
    const verdict = await verdictOn({ ...metric, interval: '30s' }, 6, undefined, { queryAsked: (query) => queries.push(query) });
    expect(verdict).toMatchObject({ check: metric.name, requests: 3 });
    expect(queries.filter((query) => /^sum\(increase\(istio_requests_total\{.*\}\[30s\]\)\)$/.test(query))).toHaveLength(1);
  });

  it('are 0 if no series was found, and so no value either', async () => {
    expect(await verdictOn(metric, undefined)).toMatchObject({ verdict: 'unmeasured', code: 'MetricNotScraped', requests: 0 });
  });

  it('are unknown if they cannot be counted, and that decides nothing', async () => {
    const counted = await verdictOn(metric, 60);
    await server?.stop();
    const uncounted = await verdictOn(metric, 60, undefined, { observerFor: (...of) => ({ ...observerFor(...of), requestCount: 'sum(' }) });
    expect(uncounted).not.toHaveProperty('requests');
    expect({ ...uncounted, requests: 60 }).toEqual(counted);
  });
});

it.each(['sum(nothing)', 'sum(nothing) or vector(0) / 0'])('DF826: %s counts nothing if a value was measured', async (requestCount) => {
  const metric: Metric = { name: 'request-success-rate', thresholdRange: { min: 99 } };
  const verdict = await verdictOn(metric, 60, undefined, { observerFor: (...of) => ({ ...observerFor(...of), requestCount }) });
  expect(verdict).toMatchObject({ verdict: 'failed' });
  expect(verdict).not.toHaveProperty('requests');
});

it('DF826: a metric with its own query has a number of requests only if its trafficQuery is run', async () => {
  const metric: Metric = { name: 'errors', query: ratio, trafficQuery, thresholdRange: { max: 0.01 } };
  expect(await verdictOn(metric, 60)).not.toHaveProperty('requests');
  await server?.stop();
  expect(await verdictOn({ ...metric, minimumRequests: 50 }, 60)).toMatchObject({ verdict: 'failed', requests: 60 });
  await server?.stop();
  expect(await verdictOn({ ...metric, minimumRequests: 500 }, 60)).toMatchObject({ verdict: 'unmeasured', requests: 60 });
});
