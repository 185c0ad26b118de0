import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { canary, dependencies, emptyServer, endMs, run, serverUrl } from '../../test/fakes/measuring.ts';
import type { Metric } from '../api/canary.ts';
import type { Verdict } from '../api/canary-status.ts';
import { measure } from './measure.ts';
import type { MeasureDependencies } from './measure-dependencies.ts';

describe('measure', () => {
  it('gives the hand-computed numbers of the built-in istio queries, and the primary as baseline', async () => {
    const verdicts = await run(
      [
        { name: 'request-success-rate', thresholdRange: { min: 99 } },
        { name: 'request-duration', thresholdRange: { max: 500 } },
      ],
      { baselines: true },
    );
    // 90% at or below 100 ms, the rest evenly up to 500: p99 = 100 + 400 · 0.9 = 460.
    expect(verdicts).toEqual([
      {
        check: 'request-success-rate',
        verdict: 'failed',
        value: 95,
        baseline: 100,
        requests: 400,
        limit: 'at least 99%',
        reason: expect.stringContaining('95% is below'),
      },
      {
        check: 'request-duration',
        verdict: 'passed',
        value: expect.closeTo(460, -1),
        baseline: expect.closeTo(460, -1),
        requests: 400,
        limit: 'at most 500ms',
      },
    ]);
  });

  describe('request-success-rate without a rate of successes', () => {
    const only = async (codes: Readonly<Record<string, (scrape: number) => number | undefined>>) => {
      const server = await emptyServer();
      for (let i = 0; i < 5; i++) {
        for (const [code, count] of Object.entries(codes)) {
          const value = count(i);
          if (value === undefined) continue;
          const labels = { reporter: 'destination', destination_workload_namespace: 'test', destination_workload: 'podinfo' };
          const series = { __name__: 'istio_requests_total', ...labels, response_code: code };
          server.ingest([{ labels: series, tMs: endMs - (4 - i) * 15_000, value }]);
        }
      }
      const [verdict] = await measure(canary([{ name: 'request-success-rate', thresholdRange: { min: 99 } }]), dependencies());
      return verdict;
    };

    it('only errors are 0%, and fail the check', async () => {
      expect(await only({ 503: (scrape) => scrape * 7 })).toMatchObject({
        verdict: 'failed',
        value: 0,
        reason: expect.stringMatching(/^request-success-rate: 0% is below/),
      });
    });

    it.each<[string, Parameters<typeof only>[0]]>([
      ['no series at all', {}],
      ['errors of long ago, and no request now', { 503: () => 7 }],
      [
        'successes that were seen once, which is too little for a rate',
        { 503: (scrape) => scrape * 7, 200: (scrape) => (scrape === 4 ? 90 : undefined) },
      ],
    ])('I11: %s is too little traffic to judge', async (_, codes) => {
      expect(await only(codes)).toMatchObject({ verdict: 'unmeasured' });
    });
  });

  it.each<[string, Partial<Metric>, unknown]>([
    // 90% at or below 100 ms, evenly from 0: the median is 100 · 0.5 / 0.9.
    ['the quantile that the metric names', { quantile: 0.5 }, 55],
    ['by default the 99th percentile in whole milliseconds', {}, 460],
    ['fractions of a millisecond, where the metric wants them', { quantile: 0.5, wholeMilliseconds: false }, expect.closeTo(500 / 9, 6)],
  ])('%s', async (_, options, value) => {
    expect(await run([{ name: 'request-duration', thresholdRange: { max: 500 }, ...options }])).toMatchObject([
      { verdict: 'passed', value },
    ]);
  });

  it('runs built-in and inline queries before templates, and reads the template from its namespace', async () => {
    const asked: string[] = [];
    const template = async (namespace: string, name: string) => {
      asked.push(`${namespace}/${name}`);
      return { spec: { provider: { type: 'prometheus', address: serverUrl() }, query: 'vector({{ variables.n }})' } };
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

  const asked = (query: RegExp) => ({ query: expect.stringMatching(query) });
  const noTraffic = { code: 'NoTraffic', query: 'nothing' } as const;
  const notScraped = { code: 'MetricNotScraped', requests: 0 } as const;
  const unknown = { code: 'Unmeasured' } as const;
  const wrongQuery = { code: 'QueryInvalid', field: 'spec.analysis.metrics[0].query' } as const;
  const object = { apiVersion: 'flagger.app/v1beta1', kind: 'MetricTemplate', name: 't', namespace: 'test' };

  it.each<[string, Metric, Partial<MeasureDependencies>, RegExp, Partial<Verdict>]>([
    [
      'no series of a rate',
      { name: 'request-success-rate' },
      { meshProvider: 'linkerd' },
      /no metric response_total/,
      { ...notScraped, ...asked(/response_total/) },
    ],
    [
      'no series of a duration',
      { name: 'request-duration' },
      { meshProvider: 'linkerd' },
      /no metric response_latency_ms_bucket/,
      { ...notScraped, ...asked(/histogram_quantile/) },
    ],
    ['no series', { name: 'm', query: 'nothing' }, {}, /^the query found no series$/, noTraffic],
    [
      'no series of a template',
      { name: 'm', templateRef: { name: 't' } },
      { template: async () => ({ spec: { provider: { type: 'prometheus', address: serverUrl() }, query: 'nothing' } }) },
      /^the query found no series$/,
      noTraffic,
    ],
    [
      'no server',
      { name: 'request-duration' },
      { metricsServer: 'http://127.0.0.1:1' },
      /^Prometheus at http:\/\/127\.0\.0\.1:1 cannot be queried: nothing listens at its address and port \(ECONNREFUSED\)$/,
      unknown,
    ],
    [
      'no server at the address of a template',
      { name: 'm', templateRef: { name: 't' } },
      { template: async () => ({ spec: { provider: { type: 'prometheus', address: 'http://127.0.0.1:1' }, query: 'q' } }) },
      /nothing listens at its address and port/,
      { ...unknown, object, field: 'spec.provider.address' },
    ],
    ['a bad address', { name: 'request-duration' }, { metricsServer: '::' }, /must be an http or https URL/, unknown],
    ['a bad query', { name: 'm', query: 'sum(' }, {}, /answered 400/, { ...wrongQuery, query: 'sum(' }],
    ['a bad template', { name: 'm', query: '{{ oops }}' }, {}, /1:4, in \{\{ oops \}\}: function "oops"/, wrongQuery],
    [
      'a missing template',
      { name: 'm', templateRef: { name: 't' } },
      {},
      /MetricTemplate test\/t: not found/,
      { code: 'TemplateNotFound', object },
    ],
    [
      'a template that cannot be read',
      { name: 'm', templateRef: { name: 't' } },
      { template: () => Promise.reject(new Error('x')) },
      /could not be read/,
      unknown,
    ],
    [
      'a template of another namespace, where that is forbidden',
      { name: 'm', templateRef: { name: 't', namespace: 'ops' } },
      { noForeignRefs: true, template: async () => expect.fail('it must not even be read') },
      /MetricTemplate ops\/t: it is in another namespace, which is forbidden/,
      unknown,
    ],
    [
      'an interval that its backend cannot count back by',
      { name: 'm', interval: '1min', templateRef: { name: 't' } },
      {
        template: async () => ({ spec: { provider: { type: 'datadog', secretRef: { name: 's' } }, query: 'q' } }),
        secret: async () => ({ datadog_api_key: 'a', datadog_application_key: 'b' }),
      },
      /provider type datadog needs an interval such as 1m or 90s/,
      unknown,
    ],
    ['nothing to query', { name: 'm' }, {}, /neither query nor templateRef/, unknown],
    [
      'a template whose query cannot be rendered',
      { name: 'm', templateRef: { name: 't' } },
      { template: async () => ({ spec: { provider: { type: 'prometheus', address: serverUrl() }, query: '{{ oops }}' } }) },
      /1:4, in \{\{ oops \}\}/,
      { code: 'QueryInvalid', object, field: 'spec.query' },
    ],
    [
      'a template with a field of the wrong type',
      { name: 'm', templateRef: { name: 't' } },
      { template: async () => ({ spec: { provider: { type: 'prometheus', address: serverUrl() }, query: 7 } }) },
      /spec\.query is missing or of the wrong type/,
      { code: 'QueryInvalid', object, field: 'spec.query' },
    ],
    [
      'a Secret of a template that does not exist',
      { name: 'm', templateRef: { name: 't' } },
      {
        template: async () => ({ spec: { provider: { type: 'prometheus', address: serverUrl(), secretRef: { name: 's' } }, query: 'q' } }),
        secret: async () => undefined,
      },
      /Secret test\/s not found/,
      { code: 'SecretNotFound', object: { apiVersion: 'v1', kind: 'Secret', name: 's', namespace: 'test' } },
    ],
  ])('I11: %s is unmeasured, not failed', async (_, metric, more, reason, why) => {
    expect(await run([metric], more)).toEqual([
      { check: metric.name, verdict: 'unmeasured', limit: expect.any(String), reason: expect.stringMatching(reason), ...why },
    ]);
  });
});

it('a window that only the query reads still works, and one minute is the default', async () => {
  const asked: string[] = [];
  const graphite = createServer((request, response) => {
    asked.push(new URL(request.url ?? '', 'http://a').searchParams.get('from') ?? '');
    response.end('[{"target":"t","datapoints":[[7,1]]}]');
  });
  await new Promise<void>((resolve) => {
    graphite.listen(0, '127.0.0.1', resolve);
  });
  const address = `http://127.0.0.1:${(graphite.address() as AddressInfo).port}`;
  const template = async () => ({ spec: { provider: { type: 'graphite', address }, query: 'target=t&from=-{{ interval }}' } });
  const metric = { name: 'm', templateRef: { name: 't' }, thresholdRange: { max: 9 } };
  const verdicts = await run([{ ...metric, interval: '1min' }, metric, { ...metric, interval: '1h' }], { template });
  graphite.close();
  expect(verdicts.map(({ verdict }) => verdict)).toEqual(['passed', 'passed', 'passed']);
  expect(asked.sort()).toEqual(['-1h', '-1m', '-1min']);
});
