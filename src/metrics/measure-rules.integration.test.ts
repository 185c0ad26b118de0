import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { canary, dependencies, emptyServer, endMs, run, scraped, serverUrl, stopServer } from '../../test/fakes/measuring.ts';
import type { Metric } from '../api/canary.ts';
import { LONGEST_SHOWN_QUERY } from '../api/canary-status.ts';
import { measure } from './measure.ts';
import type { MeasureDependencies } from './measure-dependencies.ts';

describe('modes and initial delay of a metric', () => {
  const metric: Metric = { name: 'm', query: 'vector(9)', thresholdRange: { max: 1 } };

  it('a metric that observes is measured as usual, and its verdict is marked as without effect', async () => {
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
        reason: expect.stringMatching(/not checked before 1970-.*Z: its initialDelay is 1m/),
      },
    },
    { sinceMs: 60_000, is: { verdict: 'failed', value: 9 } },
  ])('$sinceMs ms after the canary can get requests, a metric with an initial delay of 1m is $is.verdict', async ({ sinceMs, is }) => {
    const [verdict] = await run([{ ...metric, initialDelay: '1m' }], {}, { measuredFromMs: endMs - sinceMs });
    expect(verdict).toMatchObject(is);
  });
});

it('if the mesh is Linkerd, a Canary whose traffic another provider routes is judged by the metrics of Linkerd', async () => {
  const server = await emptyServer();
  for (const scrape of [0, 1, 2, 3, 4]) {
    const labels = { __name__: 'response_total', namespace: 'test', deployment: 'podinfo', direction: 'inbound' };
    const tMs = endMs - (4 - scrape) * 15_000;
    server.ingest([
      { labels: { ...labels, classification: 'success' }, tMs, value: scrape * 98 },
      { labels: { ...labels, classification: 'failure' }, tMs, value: scrape * 2 },
    ]);
  }
  const made = canary([{ name: 'request-success-rate' }]);
  const routed = { ...made, spec: { ...made.spec, provider: 'nginx' as const } };
  expect(await measure(routed, { ...dependencies(), meshProvider: 'linkerd' })).toMatchObject([{ value: 98 }]);
  expect(await measure(routed, dependencies())).toMatchObject([{ verdict: 'unmeasured' }]);
});

describe("Flagger's rules for a list of metrics", () => {
  const template = async () => ({ spec: { provider: { type: 'prometheus', address: serverUrl() }, query: 'vector(3)' } });
  const verdicts = async (metrics: readonly Metric[], more: Partial<MeasureDependencies> = {}) =>
    (await run(metrics, { template, ...more })).map(({ check, value }) => [check, value]);

  it('a metric that has both a query and a template, or the name of a built-in one, is checked twice', async () => {
    expect(await verdicts([{ name: 'm', query: 'vector(1)', templateRef: { name: 't' } }])).toEqual([
      ['m', 1],
      ['m', 3],
    ]);
    await stopServer();
    expect(await verdicts([{ name: 'request-success-rate', query: 'vector(1)' }])).toEqual([
      ['request-success-rate', 95],
      ['request-success-rate', 1],
    ]);
  });

  it('a metric without an interval has a window of one minute, also by a template', async () => {
    const query = 'count_over_time(istio_requests_total{destination_workload="podinfo-primary"}[{{ interval }}])';
    const asking = async () => ({ spec: { provider: { type: 'prometheus', address: serverUrl() }, query } });
    // One minute contains four scrapes of 15 s.
    expect(await verdicts([{ name: 'm', templateRef: { name: 't' } }], { template: asking })).toEqual([['m', 4]]);
  });

  it('an empty list of metrics gives no verdict', async () => {
    expect(await verdicts([])).toEqual([]);
  });

  it("built-in and inline metrics query the Canary's own server instead of the global one", async () => {
    await scraped();
    const own = canary([{ name: 'request-success-rate' }, { name: 'm', query: 'vector(1)' }]);
    own.spec.metricsServer = serverUrl();
    const found = await measure(own, { ...dependencies(), metricsServer: 'http://127.0.0.1:1' });
    expect(found.map(({ value }) => value)).toEqual([95, 1]);
  });
});

it.each<[Metric, string]>([
  [{ name: 'request-success-rate', thresholdRange: { min: 99 } }, 'request-success-rate: 95% is below the minimum of 99%'],
  [{ name: 'request-success-rate', thresholdRange: { max: 90 } }, 'request-success-rate: 95% is above the maximum of 90%'],
  [{ name: 'request-duration', thresholdRange: { max: 300 } }, 'request-duration: 460ms is above the maximum of 300ms'],
  [{ name: 'request-duration', thresholdRange: { min: 500 } }, 'request-duration: 460ms is below the minimum of 500ms'],
  [{ name: 'm', query: 'vector(1.23456)', thresholdRange: { max: 1 } }, 'm: 1.23 is above the maximum of 1'],
  [{ name: 'm', query: 'vector(-1)', thresholdRange: { min: 0 } }, 'm: -1 is below the minimum of 0'],
])('a value out of range is reported with metric, bound and side: %j', async (metric, reason) => {
  expect(await run([metric])).toEqual([expect.objectContaining({ verdict: 'failed', reason })]);
});

it('in Skipper route names every character except letters, digits and underscores becomes an underscore', async () => {
  await scraped();
  const named = canary([{ name: 'request-success-rate' }]);
  Object.assign(named.metadata, { name: 'api-v2', namespace: 'shop-eu' });
  Object.assign(named.spec, { service: { port: 80, name: 'api-v2' }, ingressRef: { apiVersion: 'v1', kind: 'Ingress', name: 'web.shop' } });
  const [verdict] = await measure(named, { ...dependencies(), meshProvider: 'skipper' });
  expect(verdict?.query).toContain('route=~"kube(ew)?_shop_eu__web_shop_canary__.*__api_v2_canary(_[0-9]+)?"');
});

it("a template's settings for series, points, windows and empty answers count", async () => {
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

it('a rate that finds nothing in a window shorter than two scrapes names that reason', async () => {
  const [narrow, wide, plain] = await run([
    { name: 'narrow', query: 'sum(rate(nothing[{{ interval }}]))', interval: '30s' },
    { name: 'wide', query: 'sum(rate(nothing[{{ interval }}]))', interval: '2m' },
    { name: 'plain', query: 'nothing', interval: '30s' },
  ]);
  expect(narrow?.reason).toMatch(/a rate needs two samples within 30s, so targets have to be scraped every 15s at least$/);
  expect([wide?.reason, plain?.reason]).toEqual(['the query found no series', 'the query found no series']);
});

it('an empty result has the rendered query beside its reason, on one line and shortened', async () => {
  const [rate] = await run([{ name: 'request-success-rate' }], { meshProvider: 'linkerd' });
  expect(rate?.query).toMatch(/^sum\( ?rate\( ?response_total\{.*namespace="test".*\[1m\]/);
  const [long] = await run([{ name: 'm', query: `nothing{a="${'x'.repeat(500)}"}\n  or nothing` }]);
  expect(long?.query).toMatch(/^nothing\{a="x{388}…$/);
  expect(long?.query).toHaveLength(LONGEST_SHOWN_QUERY);
  for (const one of [rate, long]) expect(one?.reason).not.toMatch(/[{}[\]]/);
});
