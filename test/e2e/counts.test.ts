import { expect, it } from 'vitest';
import { seededRandom } from '../../src/embedded/mesh/random.ts';
import type { IngestedSample } from '../../src/embedded/prometheus/series.ts';
import type { Compared, ToCompare } from '../../src/judge/compared.ts';
import { compare } from '../../src/metrics/measure.ts';
import { canary, dependencies } from '../fakes/measuring.ts';
import { bothPrometheuses } from './promql/both-prometheuses.ts';

const startMs = 1_700_000_000_000;
const MINUTES = 80;
const SEED = 20;
const BOUNDS = ['5', '10', '25', '50', '100', '250', '500', '+Inf'];

/**
 * Counters of two pods of each side, of which some restart, and some are not scraped for longer than Prometheus looks back. No sample lies on a whole second, on which
 * windows begin and end.
 */
function counters(): IngestedSample[] {
  const random = seededRandom(SEED);
  const samples: IngestedSample[] = [];
  for (const [workload, instance] of [
    ['podinfo', 'c1'],
    ['podinfo', 'c2'],
    ['podinfo-primary', 'p1'],
    ['podinfo-primary', 'p2'],
  ] as const) {
    const values = new Map<string, number>();
    const add = (series: string, more: number) => values.set(series, (values.get(series) ?? 0) + more);
    const labels = { reporter: 'destination', destination_workload_namespace: 'test', destination_workload: workload, instance };
    for (let scrape = 0; scrape < MINUTES * 4; scrape += 1) {
      const tMs = startMs + scrape * 15_000 + 125 * (1 + Math.floor(random() * 7));
      if (random() < 0.02) values.clear();
      for (const code of ['200', '404', ...(random() < 0.3 ? ['503'] : [])]) add(`istio_requests_total ${code}`, Math.floor(random() * 30));
      for (const [index, le] of BOUNDS.entries()) add(`istio_request_duration_milliseconds_bucket ${le}`, 40 + index);
      const isGone = instance.endsWith('2') && scrape % 110 > 60;
      if (isGone || random() < 0.05) continue;
      for (const [series, value] of values) {
        const [name = '', text = ''] = series.split(' ');
        const own = name.endsWith('bucket') ? { le: text } : { response_code: text };
        samples.push({ labels: { __name__: name, ...labels, ...own }, tMs, value });
      }
    }
  }
  return samples;
}

const prometheus = bothPrometheuses(counters);

const read = async (metricsServer: string, asked: readonly ToCompare[], nowMs: number): Promise<Compared[]> =>
  compare(canary([]), asked, { ...dependencies(), metricsServer, nowMs });

it('20.3: a real Prometheus gives the counts and histories that the embedded one gives', async () => {
  const random = seededRandom(SEED);
  const plan = { primaryMs: 100, canaryMs: 250, tolerated: 2.5 };
  let [requests, withoutRequests] = [0, 0];
  for (let window = 0; window < 150; window += 1) {
    const fromMs = startMs + 1000 * Math.floor(random() * (MINUTES - 12) * 60);
    const asked = ['errors', 'latency'].flatMap((metric): ToCompare[] => [
      { metric, fromMs, ...(metric === 'latency' && { plan }) },
      // A whole multiple of no step.
      { metric, fromMs: fromMs - (fromMs % 60_000) + 1_000, learnMs: window % 2 === 0 ? 15_000 : 60_000 },
    ]);
    const nowMs = fromMs + 1000 * (1 + Math.floor(random() * 600));
    const [theirs, ours] = [await read(prometheus.real.url, asked, nowMs), await read(prometheus.embedded.url, asked, nowMs)];
    expect(theirs).toEqual(ours);
    for (const answer of theirs) {
      expect(answer).not.toMatchObject({ kind: 'unknown' });
      if (answer.kind !== 'window') continue;
      requests += answer.window.canary.requests + answer.window.primary.requests;
      withoutRequests += Number(answer.window.canary.requests === 0);
    }
  }
  // Windows that are all empty would agree for nothing.
  expect(requests).toBeGreaterThan(100_000);
  expect(withoutRequests).toBeGreaterThan(10);
});
