import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { Canary, type Metric } from '../api/canary.ts';
import type { Release } from '../api/canary-status.ts';
import { type EmbeddedPrometheus, startPrometheus } from '../embedded/prometheus/index.ts';
import { measure } from './measure.ts';
import type { MeasureDependencies } from './measure-dependencies.ts';

const endMs = 1_000_000_000;
let server: EmbeddedPrometheus | undefined;
afterEach(() => server?.stop());

function canary(metrics: readonly Metric[], release?: Partial<Release>): Canary {
  return Canary.parse({
    apiVersion: 'flagger.app/v1beta1',
    kind: 'Canary',
    metadata: { name: 'podinfo', namespace: 'test', uid: 'u', generation: 1, resourceVersion: '1' },
    spec: {
      targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'podinfo' },
      service: { port: 80 },
      analysis: { interval: '1m', threshold: 1, metrics },
    },
    ...(release && {
      status: { phase: 'Progressing', failedChecks: 0, canaryWeight: 20, iterations: 0, release: { ...begun, ...release } },
    }),
  });
}

const begun = {
  ...{ targetUid: 't', revision: 's1:b', observedGeneration: 2, run: 2, step: 'analysing', routes: { kind: 'weighted', canary: 20 } },
  ...{ failedChecks: 0, iterations: 0, startedMs: 0, stepStartedMs: 0 },
};

async function run(metrics: readonly Metric[], more: Partial<MeasureDependencies> = {}, release?: Partial<Release>) {
  await scraped();
  const deps = { ...dependencies(), ...more };
  return measure(canary(metrics, release), deps);
}

/** Five scrapes, 15 s apart, the last one now. */
async function scraped(): Promise<void> {
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
}

function dependencies(): MeasureDependencies {
  return {
    metricsServer: server?.url ?? '',
    provider: 'istio',
    template: async () => undefined,
    secret: async () => undefined,
    signal: new AbortController().signal,
    nowMs: endMs,
    timeoutMs: 2000,
  };
}

/** The last revision failed all of its requests until half a minute ago; this one fails none. */
async function afterABadRevision(metric: Metric, ageMs: number) {
  server = await startPrometheus({ targets: [], now: () => endMs });
  const labels = { reporter: 'destination', destination_workload_namespace: 'test', destination_workload: 'podinfo' };
  for (let i = 0; i <= 12; i++) {
    const tMs = endMs - (12 - i) * 5_000;
    const errors = { labels: { __name__: 'istio_requests_total', ...labels, response_code: '500' }, tMs, value: 50 * Math.min(6, i) };
    const answers = { labels: { __name__: 'istio_requests_total', ...labels, response_code: '200' }, tMs, value: 50 * Math.max(6, i) };
    server.ingest([errors, answers]);
  }
  return measure(canary([metric], { measuredFromMs: endMs - ageMs, othersUntilMs: endMs - 30_000 }), dependencies());
}

describe('a window that reaches back to the last revision', () => {
  const rate: Metric = { name: 'request-success-rate', thresholdRange: { min: 99 } };
  const ratio = (interval: string) =>
    `sum(rate(istio_requests_total{response_code="200"}[${interval}])) / sum(rate(istio_requests_total[${interval}]))`;

  it.each<[string, Metric]>([
    ['built-in', rate],
    ['inline', { name: 'mine', query: ratio('{{ interval }}'), thresholdRange: { min: 0.99 } }],
  ])('E20a: a query, %s, does not judge this revision by the errors of that one', async (_, metric) => {
    expect(await afterABadRevision(metric, 20_000)).toEqual([expect.objectContaining({ verdict: 'passed' })]);
  });

  it('E20a: what is not measured yet says so, and is no failed check', async () => {
    const [verdict] = await afterABadRevision(rate, 2_000);
    expect(verdict).toMatchObject({
      verdict: 'unmeasured',
      early: true,
      reason: expect.stringContaining('waits for samples of this revision'),
    });
  });

  it('E20a, I11: a server that cannot be asked is told as such, however young the revision is', async () => {
    const release = { measuredFromMs: endMs - 2_000 };
    const [verdict] = await measure(canary([rate], release), { ...dependencies(), metricsServer: 'http://127.0.0.1:1' });
    expect(verdict).toMatchObject({ verdict: 'unmeasured', reason: expect.stringContaining('cannot be asked') });
    expect(verdict).not.toHaveProperty('early');
  });

  it('E20a: a range that is written into a query stays, and its gaps are no matter of time', async () => {
    const fixed: Metric = { name: 'mine', query: ratio('1m'), thresholdRange: { min: 0.99 } };
    expect(await afterABadRevision(fixed, 2_000)).toEqual([expect.objectContaining({ verdict: 'failed' })]);
    await server?.stop();
    const [none] = await afterABadRevision({ name: 'mine', query: 'sum(rate(nothing[1m]))' }, 2_000);
    expect(none).toMatchObject({ verdict: 'unmeasured' });
    expect(none).not.toHaveProperty('early');
  });
});

describe('measure', () => {
  it('05-B30, B31: gives the hand-computed numbers of the built-in istio queries, and the primary as baseline', async () => {
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

  describe('request-success-rate without a rate of successes (05 B38, W36)', () => {
    const only = async (codes: Readonly<Record<string, (scrape: number) => number | undefined>>) => {
      server = await startPrometheus({ targets: [], now: () => endMs });
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

    it('05-W36: nothing but errors is 0 %, and fails the check', async () => {
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
    ])('05-B38, I11: %s is no traffic to judge', async (_, codes) => {
      expect(await only(codes)).toMatchObject({ verdict: 'unmeasured' });
    });
  });

  it.each<[string, Partial<Metric>, unknown]>([
    // 90 % at or below 100 ms, evenly from 0: the median is 100 · 0.5 / 0.9.
    ['05-W12: the quantile that the metric names', { quantile: 0.5 }, 55],
    ['05-W12, B31: by default the 99th percentile in whole milliseconds', {}, 460],
    [
      '05-W13: fractions of a millisecond, where the metric wants them',
      { quantile: 0.5, wholeMilliseconds: false },
      expect.closeTo(500 / 9, 6),
    ],
  ])('%s', async (_, options, value) => {
    expect(await run([{ name: 'request-duration', thresholdRange: { max: 500 }, ...options }])).toMatchObject([
      { verdict: 'passed', value },
    ]);
  });

  it('05-E1: asks built-in and inline queries before templates, and reads the template from its namespace', async () => {
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
    ['no series', { name: 'm', query: 'nothing' }, {}, /found no series; asked: nothing$/],
    ['no server', { name: 'request-duration' }, { metricsServer: 'http://127.0.0.1:1' }, /cannot be asked/],
    ['a bad address', { name: 'request-duration' }, { metricsServer: '::' }, /no http or https URL/],
    ['a bad query', { name: 'm', query: 'sum(' }, {}, /answered 400/],
    ['05-T13: a bad template', { name: 'm', query: '{{ oops }}' }, {}, /1:4, in \{\{ oops \}\}: function "oops"/],
    ['05-T22: a missing template', { name: 'm', templateRef: { name: 't' } }, {}, /MetricTemplate test\/t: not found/],
    [
      'a template that cannot be read',
      { name: 'm', templateRef: { name: 't' } },
      { template: () => Promise.reject(new Error('x')) },
      /could not be read/,
    ],
    [
      '05-W16: a template of another namespace, where that is forbidden',
      { name: 'm', templateRef: { name: 't', namespace: 'ops' } },
      { noForeignRefs: true, template: async () => expect.fail('it must not even be read') },
      /MetricTemplate ops\/t: it is in another namespace, which is forbidden/,
    ],
    [
      '05-T12: an interval that its backend cannot count back by',
      { name: 'm', interval: '1min', templateRef: { name: 't' } },
      {
        template: async () => ({ spec: { provider: { type: 'datadog', secretRef: { name: 's' } }, query: 'q' } }),
        secret: async () => ({ datadog_api_key: 'a', datadog_application_key: 'b' }),
      },
      /provider type datadog needs an interval such as 1m or 90s/,
    ],
    ['nothing to ask', { name: 'm' }, {}, /neither query nor templateRef/],
  ])('05-E5, E6, I11: %s is unmeasured, not failed', async (_, metric, more, reason) => {
    expect(await run([metric], more)).toEqual([
      { check: metric.name, verdict: 'unmeasured', limit: expect.any(String), reason: expect.stringMatching(reason) },
    ]);
  });
});

it('05-T12, W14: a window that only the query reads goes on working, and one minute is the default', async () => {
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

describe('a metric in its way', () => {
  const metric: Metric = { name: 'm', query: 'vector(9)', thresholdRange: { max: 1 } };

  it('05-W28: one that observes is measured as ever, and its verdict says that it has no say', async () => {
    expect(
      await run([
        { ...metric, mode: 'observe' },
        { ...metric, mode: 'judge' },
      ]),
    ).toEqual([expect.objectContaining({ verdict: 'failed', value: 9, observed: true }), expect.not.objectContaining({ observed: true })]);
  });

  it.each([
    {
      sinceMs: 59_999,
      is: {
        verdict: 'unmeasured',
        early: true,
        reason: expect.stringMatching(/not asked before 1970-.*Z, since its initialDelay is 1m/),
      },
    },
    { sinceMs: 60_000, is: { verdict: 'failed', value: 9 } },
  ])('05-W28: $sinceMs ms after the canary can get requests, one whose initial delay is 1m is $is.verdict', async ({ sinceMs, is }) => {
    const [verdict] = await run([{ ...metric, initialDelay: '1m' }], {}, { measuredFromMs: endMs - sinceMs });
    expect(verdict).toMatchObject(is);
  });
});

describe('the established rules of a list of metrics', () => {
  const template = async () => ({ spec: { provider: { type: 'prometheus', address: server?.url }, query: 'vector(3)' } });
  const verdicts = async (metrics: readonly Metric[], more: Partial<MeasureDependencies> = {}) =>
    (await run(metrics, { template, ...more })).map(({ check, value }) => [check, value]);

  it('05-E4: a metric that has both a query and a template, or the name of a built-in one, is checked twice', async () => {
    expect(await verdicts([{ name: 'm', query: 'vector(1)', templateRef: { name: 't' } }])).toEqual([
      ['m', 1],
      ['m', 3],
    ]);
    await server?.stop();
    expect(await verdicts([{ name: 'request-success-rate', query: 'vector(1)' }])).toEqual([
      ['request-success-rate', 95],
      ['request-success-rate', 1],
    ]);
  });

  it('05-E8, W14: a metric without an interval is asked for a minute, by a template, too', async () => {
    const query = 'count_over_time(istio_requests_total{destination_workload="podinfo-primary"}[{{ interval }}])';
    const asking = async () => ({ spec: { provider: { type: 'prometheus', address: server?.url }, query } });
    // Four scrapes of 15 s lie within a minute.
    expect(await verdicts([{ name: 'm', templateRef: { name: 't' } }], { template: asking })).toEqual([['m', 4]]);
  });

  it('05-E12: no metrics give no verdict', async () => {
    expect(await verdicts([])).toEqual([]);
  });

  it("05-B6: the Canary's own server is asked instead of the global one, by built-in and inline metrics", async () => {
    await scraped();
    const own = canary([{ name: 'request-success-rate' }, { name: 'm', query: 'vector(1)' }]);
    own.spec.metricsServer = server?.url ?? '';
    const found = await measure(own, { ...dependencies(), metricsServer: 'http://127.0.0.1:1' });
    expect(found.map(({ value }) => value)).toEqual([95, 1]);
  });
});

it.each<[string, Metric, string]>([
  ['05-B40', { name: 'request-success-rate', thresholdRange: { min: 99 } }, 'request-success-rate: 95% is below the minimum of 99%'],
  ['05-B40', { name: 'request-success-rate', thresholdRange: { max: 90 } }, 'request-success-rate: 95% is above the maximum of 90%'],
  ['05-B41', { name: 'request-duration', thresholdRange: { max: 300 } }, 'request-duration: 460ms is above the maximum of 300ms'],
  ['05-B41', { name: 'request-duration', thresholdRange: { min: 500 } }, 'request-duration: 460ms is below the minimum of 500ms'],
  ['05-B42', { name: 'm', query: 'vector(1.23456)', thresholdRange: { max: 1 } }, 'm: 1.23 is above the maximum of 1'],
  ['05-B42', { name: 'm', query: 'vector(-1)', thresholdRange: { min: 0 } }, 'm: -1 is below the minimum of 0'],
])('%s: what is out of range is told with metric, value, bound and side: %j', async (_, metric, reason) => {
  expect(await run([metric])).toEqual([expect.objectContaining({ verdict: 'failed', reason })]);
});

it('05-B23, Q6: in the names that Skipper makes routes of, what is no letter, digit or underscore is an underscore', async () => {
  await scraped();
  const named = canary([{ name: 'request-success-rate' }]);
  Object.assign(named.metadata, { name: 'api-v2', namespace: 'shop-eu' });
  Object.assign(named.spec, { service: { port: 80, name: 'api-v2' }, ingressRef: { apiVersion: 'v1', kind: 'Ingress', name: 'web.shop' } });
  const [verdict] = await measure(named, { ...dependencies(), provider: 'skipper' });
  expect(verdict?.reason).toContain('route=~"kube(ew)?_shop_eu__web_shop_canary__.*__api_v2_canary(_[0-9]+)?"');
});

it('05-W19, W20, W21, W35: what a template says of series, points, windows and empty answers is done', async () => {
  const spans: number[] = [];
  const datadog = createServer((request, response) => {
    const query = new URL(request.url ?? '', 'http://a').searchParams;
    spans.push(Number(query.get('to')) - Number(query.get('from')));
    response.end('{"series":[{"pointlist":[[1,null],[2,4]]},{"pointlist":[[1,8]]}]}');
  });
  await new Promise<void>((resolve) => {
    datadog.listen(0, '127.0.0.1', resolve);
  });
  const address = `http://127.0.0.1:${(datadog.address() as AddressInfo).port}`;
  const choices: Record<string, object> = {
    today: {},
    sample: { sample: 'last' },
    reduce: { sample: 'last', reduce: 'max' },
    strict: { strictNoData: true },
    window: { window: '2m' },
    error: { reduce: 'error' },
  };
  const verdicts = await run(
    Object.keys(choices).map((name) => ({ name, templateRef: { name }, thresholdRange: { min: 0 } })),
    {
      template: async (_, name) => ({
        spec: { provider: { type: 'datadog', address, secretRef: { name: 's' } }, query: 'q', ...choices[name] },
      }),
      secret: async () => ({ datadog_api_key: 'any', datadog_application_key: 'any' }),
    },
  );
  datadog.close();
  expect(verdicts.map(({ check, value, verdict }) => [check, value ?? verdict])).toEqual([
    ['today', 0],
    ['sample', 4],
    ['reduce', 8],
    ['strict', 4],
    ['window', 0],
    ['error', 'unmeasured'],
  ]);
  expect(spans.sort((a, b) => a - b)).toEqual([120, 600, 600, 600, 600, 600]);
});

it('05-W32: a rate that finds nothing in a window shorter than two scrapes says so', async () => {
  const [narrow, wide, plain] = await run([
    { name: 'narrow', query: 'sum(rate(nothing[{{ interval }}]))', interval: '30s' },
    { name: 'wide', query: 'sum(rate(nothing[{{ interval }}]))', interval: '2m' },
    { name: 'plain', query: 'nothing', interval: '30s' },
  ]);
  expect(narrow?.reason).toMatch(/a rate needs two samples within 30s, so targets have to be scraped every 15s at least$/);
  expect(wide?.reason).toMatch(/asked: sum\(rate\(nothing\[2m\]\)\)$/);
  expect(plain?.reason).toMatch(/asked: nothing$/);
});

it('05-W33: a query that finds nothing is told as it was asked, on one line and not without end', async () => {
  const [rate] = await run([{ name: 'request-success-rate' }], { provider: 'linkerd' });
  expect(rate?.reason).toMatch(/no series; asked: sum\( ?rate\( ?response_total\{.*namespace="test".*\[1m\]/);
  const [long] = await run([{ name: 'm', query: `nothing{a="${'x'.repeat(500)}"}\n  or nothing` }]);
  expect(long?.reason).toMatch(/asked: nothing\{a="x{389}…$/);
});
