import { afterEach, describe, expect, it } from 'vitest';
import { Canary, type Metric } from '../api/canary.ts';
import { type EmbeddedPrometheus, startPrometheus } from '../embedded/prometheus/index.ts';
import { type MeasureDependencies, measure } from './measure.ts';

const endMs = 1_000_000_000;
let server: EmbeddedPrometheus | undefined;
afterEach(() => server?.stop());

function canary(metrics: readonly Metric[]): Canary {
  return Canary.parse({
    apiVersion: 'flagger.app/v1beta1',
    kind: 'Canary',
    metadata: { name: 'podinfo', namespace: 'test', uid: 'u', generation: 1, resourceVersion: '1' },
    spec: {
      targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'podinfo' },
      service: { port: 80 },
      analysis: { interval: '1m', threshold: 1, metrics },
    },
  });
}

async function run(metrics: readonly Metric[], more: Partial<MeasureDependencies> = {}) {
  server = await startPrometheus({ targets: [], now: () => endMs });
  for (const [workload, code, perScrape] of [
    ['podinfo', '200', 95],
    ['podinfo', '503', 5],
    ['podinfo-primary', '200', 10],
  ] as const) {
    for (let i = 0; i < 5; i++) {
      const labels = { reporter: 'destination', destination_workload_namespace: 'test', destination_workload: workload };
      const tMs = endMs - (4 - i) * 15_000;
      server.ingest([
        { labels: { __name__: 'istio_requests_total', ...labels, response_code: code }, tMs, value: i * perScrape },
        ...(['100', '500', '+Inf'] as const).map((le, bucket) => ({
          labels: { __name__: 'istio_request_duration_milliseconds_bucket', ...labels, response_code: code, le },
          tMs,
          value: i * perScrape * (bucket === 0 ? 0.9 : 1),
        })),
      ]);
    }
  }
  const deps: MeasureDependencies = {
    metricsServer: server.url,
    provider: 'istio',
    template: async () => undefined,
    secret: async () => undefined,
    signal: new AbortController().signal,
    timeoutMs: 2000,
    ...more,
  };
  return measure(canary(metrics), deps);
}

describe('measure', () => {
  it('gives the hand-computed numbers of the built-in istio queries, and the primary as baseline', async () => {
    const verdicts = await run(
      [
        { name: 'request-success-rate', thresholdRange: { min: 99 } },
        { name: 'request-duration', thresholdRange: { max: 500 } },
      ],
      { baselines: true },
    );
    // 90 % at or below 100 ms, the rest evenly up to 500: p99 = 100 + 400 · 0.9 = 460.
    expect(verdicts).toEqual([
      {
        check: 'request-success-rate',
        verdict: 'failed',
        value: 95,
        baseline: 100,
        limit: 'at least 99%',
        reason: expect.stringContaining('95% is below'),
      },
      {
        check: 'request-duration',
        verdict: 'passed',
        value: expect.closeTo(460, -1),
        baseline: expect.closeTo(460, -1),
        limit: 'at most 500ms',
      },
    ]);
  });

  it('asks built-in and inline queries before templates (E1) and reads the template from its namespace', async () => {
    const asked: string[] = [];
    const template = async (namespace: string, name: string) => {
      asked.push(`${namespace}/${name}`);
      return { spec: { provider: { type: 'prometheus', address: server?.url }, query: 'vector({{ variables.n }})' } };
    };
    const verdicts = await run(
      [
        { name: 'templated', templateRef: { name: 't', namespace: 'other' }, templateVariables: { n: '3' }, thresholdRange: { max: 2 } },
        { name: 'inline', query: 'vector(1)', threshold: 1 },
      ],
      { template },
    );
    expect(verdicts.map(({ check, verdict, value }) => [check, verdict, value])).toEqual([
      ['inline', 'passed', 1],
      ['templated', 'failed', 3],
    ]);
    expect(asked).toEqual(['other/t']);
  });

  it.each<[string, Metric, Partial<MeasureDependencies>, RegExp]>([
    ['no series', { name: 'm', query: 'nothing' }, {}, /found no series/],
    ['no server', { name: 'request-duration' }, { metricsServer: 'http://127.0.0.1:1' }, /cannot be asked/],
    ['a bad address', { name: 'request-duration' }, { metricsServer: '::' }, /no http or https URL/],
    ['a bad query', { name: 'm', query: 'sum(' }, {}, /answered 400/],
    ['a bad template', { name: 'm', query: '{{ oops }}' }, {}, /1:4: function "oops"/],
    ['a missing template', { name: 'm', templateRef: { name: 't' } }, {}, /MetricTemplate test\/t: not found/],
    [
      'a template that cannot be read',
      { name: 'm', templateRef: { name: 't' } },
      { template: () => Promise.reject(new Error('x')) },
      /could not be read/,
    ],
    ['nothing to ask', { name: 'm' }, {}, /neither query nor templateRef/],
  ])('I11: %s is unmeasured, not failed', async (_, metric, more, reason) => {
    expect(await run([metric], more)).toEqual([
      { check: metric.name, verdict: 'unmeasured', limit: expect.any(String), reason: expect.stringMatching(reason) },
    ]);
  });
});
