import { afterEach, describe, expect, it } from 'vitest';
import { aCanary } from '../../test/fakes/world.ts';
import type { Metric } from '../api/canary.ts';
import type { Verdict } from '../api/canary-status.ts';
import { type EmbeddedPrometheus, startPrometheus } from '../embedded/prometheus/index.ts';
import { observerFor } from '../routers/index.ts';
import { baselineBreach } from './baseline.ts';
import { measure } from './measure.ts';

const NOW_MS = 1_000_000_000;
let server: EmbeddedPrometheus | undefined;
afterEach(() => server?.stop());

/** Number of failures among ten requests in a scrape interval, on each side; undefined if that side has answered none. */
async function verdictOn(metric: Metric, failing: { podinfo?: number; 'podinfo-primary'?: number }): Promise<Verdict | undefined> {
  server = await startPrometheus({ targets: [], now: () => NOW_MS });
  for (const [workload, failed] of Object.entries(failing)) {
    const labels = { reporter: 'destination', destination_workload_namespace: 'test', destination_workload: workload };
    for (let scrape = 0; scrape <= 6; scrape += 1) {
      for (const [code, count] of [['200', 10 - failed] as const, ['503', failed] as const]) {
        const series = { __name__: 'istio_requests_total', ...labels, response_code: code };
        server.ingest([{ labels: series, tMs: NOW_MS - (6 - scrape) * 15_000, value: scrape * count }]);
      }
    }
  }
  const [verdict] = await measure(aCanary({ metrics: [metric] }), {
    metricsServer: server.url,
    observerFor,
    meshProvider: 'istio',
    template: async () => ({ spec: { provider: { type: 'prometheus', address: server?.url }, query: errors } }),
    secret: async () => undefined,
    signal: new AbortController().signal,
    nowMs: NOW_MS,
    timeoutMs: 60_000,
  });
  return verdict;
}

const errorsOf = (workload: string) =>
  `sum(rate(istio_requests_total{response_code="503",destination_workload="${workload}"}[{{ interval }}])) * 15`;
const errors = errorsOf('{{ target }}');
const kinds: [string, Metric][] = [
  ['built-in', { name: 'request-success-rate', baseline: { minRatio: 0.9 } }],
  ['inline', { name: 'errors', query: errors, baseline: { maxRatio: 1.5 } }],
  ['templated', { name: 'errors', templateRef: { name: 'errors' }, baseline: { maxRatio: 1.5 } }],
  ['with a query of its own', { name: 'errors', query: errors, baseline: { maxRatio: 1.5, query: errorsOf('{{ target }}-primary') } }],
];

describe.each(kinds)('the baseline of a metric, %s', (_, metric) => {
  it('passes a canary that is at least as good as its primary, even if both are bad', async () => {
    expect(await verdictOn(metric, { podinfo: 6, 'podinfo-primary': 6 })).toMatchObject({
      verdict: 'passed',
      baseline: expect.any(Number),
      limit: expect.stringMatching(/^at (least 0\.9|most 1\.5) times the primary$/),
    });
  });

  it('fails a canary that is worse, and shows both values', async () => {
    expect(await verdictOn(metric, { podinfo: 6, 'podinfo-primary': 1 })).toMatchObject({
      verdict: 'failed',
      baseline: expect.any(Number),
      reason: expect.stringMatching(
        /^(request-success-rate: 40% beside the primary's 90% is less than|errors: 6 beside the primary's 1 is more than)/,
      ),
    });
  });

  it('I11: a primary that cannot be measured gives no verdict', async () => {
    expect(await verdictOn(metric, { podinfo: 1 })).toMatchObject({
      verdict: 'unmeasured',
      reason: expect.stringMatching(/^the primary cannot be measured: .*no series/),
    });
  });
});

it('with a range both must hold', async () => {
  const [, [, inline] = kinds[0] ?? []] = kinds;
  const metric: Metric = { ...(inline ?? { name: '' }), thresholdRange: { max: 5 } };
  expect(await verdictOn(metric, { podinfo: 6, 'podinfo-primary': 6 })).toMatchObject({
    verdict: 'failed',
    limit: 'at most 5, at most 1.5 times the primary',
    reason: expect.stringContaining('above the maximum of 5'),
  });
});

it('I11: a metric whose query does not select a side names the missing field', async () => {
  const metric: Metric = { name: 'errors', query: 'vector(1)', baseline: { maxRatio: 1 } };
  expect(await verdictOn(metric, {})).toMatchObject({ verdict: 'unmeasured', reason: expect.stringContaining('baseline needs a query') });
});

it.each([
  { value: 0, primary: 0, verdict: 'is accepted' },
  { value: 0.1, primary: 0, verdict: 'is refused' },
  { value: 15, primary: 10, verdict: 'is accepted' },
  { value: 5, primary: 10, verdict: 'is accepted' },
  { value: 4.9, primary: 10, verdict: 'is refused' },
  { value: Number.NaN, primary: 10, verdict: 'is refused' },
])('$value beside $primary, from 0.5 to 1.5 times, $verdict', ({ value, primary, verdict }) => {
  const breach = baselineBreach(value, primary, { minRatio: 0.5, maxRatio: 1.5 }, '');
  expect(breach === undefined ? 'is accepted' : 'is refused').toBe(verdict);
});
