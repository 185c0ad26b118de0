import { describe, expect, it } from 'vitest';
import { canary, dependencies, emptyServer, endMs } from '../../test/fakes/measuring.ts';
import { withServer } from '../../test/fakes/test-server.ts';
import type { Metric } from '../api/canary.ts';
import { measure } from './measure.ts';
import type { MeasureDependencies } from './measure-dependencies.ts';

interface Scraped {
  metric?: string;
  labels: Readonly<Record<string, string>>;
  /** Value of each scrape, the last one now, a scrape every 15 s. */
  values: readonly number[];
}

const workload = (name: string, namespace = 'test') => ({
  reporter: 'destination',
  response_code: '200',
  destination_workload_namespace: namespace,
  destination_workload: name,
});
const RISING = [0, 10, 20, 30, 40];
const CONSTANT = [7, 7, 7, 7, 7];
const NO_SERIES = JSON.stringify({ status: 'success', data: { resultType: 'vector', result: [] } });
const successRate: Metric = { name: 'request-success-rate', thresholdRange: { min: 99 } };

/** The verdicts over these series, and the queries that were sent. */
async function measured(series: readonly Scraped[], metrics: readonly Metric[], more: Partial<MeasureDependencies> = {}) {
  const server = await emptyServer();
  for (const { metric = 'istio_requests_total', labels, values } of series)
    for (const [index, value] of values.entries())
      server.ingest([{ labels: { __name__: metric, ...labels }, tMs: endMs - (values.length - 1 - index) * 15_000, value }]);
  const asked: string[] = [];
  const deps = { ...dependencies(), ...more, queryAsked: (query: string) => void asked.push(query) };
  return { verdicts: await measure(canary(metrics), deps), asked };
}

const one = async (series: readonly Scraped[], metric: Metric = successRate) => (await measured(series, [metric])).verdicts[0];

describe('DF871: a built-in check without a value', () => {
  it.each<[string, readonly Scraped[]]>([
    ['the primary has requests, and the canary has no series', [{ labels: workload('podinfo-primary'), values: RISING }]],
    ['the canary had its last request before the window', [{ labels: workload('podinfo'), values: CONSTANT }]],
  ])('is NoTraffic where %s', async (_, series) => {
    expect(await one(series)).toMatchObject({
      verdict: 'unmeasured',
      code: 'NoTraffic',
      reason: 'no request reached the canary in the last minute',
      query: expect.stringContaining('istio_requests_total'),
    });
  });

  it('names too few samples where a rate needs more than were scraped', async () => {
    const verdict = await one([{ labels: workload('podinfo'), values: [7] }], { ...successRate, interval: '30s' });
    expect(verdict).toMatchObject({
      code: 'NoTraffic',
      reason:
        'no request reached the canary in the last 30s, or too few samples were taken: a rate needs two samples within 30s, so targets have to be scraped every 15s at least',
    });
  });

  it('names other workloads of the namespace, at most three', async () => {
    const verdict = await one(['cart', 'blog', 'api', 'web'].map((name) => ({ labels: workload(name), values: RISING })));
    expect(verdict).toMatchObject({
      code: 'WorkloadUnknown',
      reason: expect.stringMatching(
        /^the metrics server knows requests of other workloads in namespace test \((\w+, ){2}\w+\), but none of podinfo or its primary by the labels destination_workload_namespace and destination_workload$/,
      ),
    });
  });

  it('says that no workload of the namespace is known, and names none of another namespace', async () => {
    const verdict = await one([{ labels: workload('cart', 'shop'), values: RISING }]);
    expect(verdict).toMatchObject({
      code: 'WorkloadUnknown',
      reason:
        'the metrics server knows requests of other namespaces, but none in namespace test by the labels destination_workload_namespace and destination_workload',
    });
  });

  it.each<[string, Readonly<Record<string, string>>, string]>([
    ['other labels', { app: 'podinfo', instance: 'a', job: 'mesh' }, 'app, instance, job'],
    [
      'labels that the scrape has renamed',
      { ...workload('mesh', 'mesh-system'), exported_destination_workload_namespace: 'test', exported_destination_workload: 'podinfo' },
      'destination_workload, destination_workload_namespace, exported_destination_workload, exported_destination_workload_namespace, reporter, response_code',
    ],
  ])('names the labels of a metric that has %s', async (_, labels, names) => {
    expect(await one([{ labels, values: RISING }])).toMatchObject({
      code: 'LabelsDiffer',
      reason: `the check selects istio_requests_total by the labels destination_workload_namespace and destination_workload, and the metrics server has it with ${names}`,
    });
  });

  it('says that the metrics server has no such metric, and names the field of its address', async () => {
    const verdict = await one([{ metric: 'up', labels: { job: 'a' }, values: CONSTANT }]);
    expect(verdict).toMatchObject({
      code: 'MetricNotScraped',
      reason: 'the metrics server has no metric istio_requests_total of any workload',
    });
    expect(verdict).not.toHaveProperty('field');
    const server = await emptyServer();
    const own = canary([successRate]);
    const [named] = await measure({ ...own, spec: { ...own.spec, metricsServer: server.url } }, { ...dependencies(), metricsServer: '' });
    expect(named).toMatchObject({ code: 'MetricNotScraped', field: 'spec.metricsServer' });
  });

  it('runs a second query for each check without a value, and none for a check with a value', async () => {
    const duration: Metric = { name: 'request-duration', thresholdRange: { max: 500 } };
    const { asked } = await measured([{ labels: workload('podinfo'), values: RISING }], [successRate, duration]);
    expect(asked.filter((query) => query.includes('label_replace'))).toHaveLength(1);
    expect((await measured([], [successRate])).asked.filter((query) => query.includes('label_replace'))).toHaveLength(1);
  });

  it('keeps the plain words where the second query has no answer', async () => {
    await withServer(
      ({ url }, response) => {
        const isSecond = url?.includes('label_replace') === true;
        response.writeHead(isSecond ? 503 : 200).end(isSecond ? 'busy' : NO_SERIES);
      },
      async (metricsServer, seen) => {
        const { verdicts } = await measured([], [successRate], { metricsServer });
        expect(verdicts).toMatchObject([
          { code: 'NoTraffic', reason: expect.stringMatching(/^the query found no series; a rate/), requests: 0 },
        ]);
        expect(seen.filter(({ path = '' }) => path.includes('label_replace'))).toHaveLength(1);
      },
    );
  });
});

describe('a check that other checks of the moment contradict', () => {
  const requests = [{ labels: workload('podinfo'), values: RISING }];

  it('is not NoTraffic where another check has counted requests', async () => {
    const { verdicts } = await measured(requests, [successRate, { name: 'errors', query: 'nothing', threshold: 1 }]);
    expect(verdicts).toMatchObject([
      { check: 'request-success-rate', verdict: 'passed', requests: 40 },
      {
        check: 'errors',
        code: 'QueryEmpty',
        reason: 'the query found no series, while request-success-rate counted 40 requests',
        query: 'nothing',
      },
    ]);
  });

  it('is NoTraffic where no check has counted any', async () => {
    const { verdicts } = await measured([], [{ name: 'errors', query: 'nothing', threshold: 1 }]);
    expect(verdicts).toMatchObject([{ code: 'NoTraffic', reason: 'the query found no series', query: 'nothing' }]);
  });

  it('has too few requests where its own minimum is not reached', async () => {
    const { verdicts } = await measured(requests, [{ ...successRate, minimumRequests: 1000 }]);
    expect(verdicts).toMatchObject([{ code: 'TooFewRequests', requests: 40 }]);
  });
});

it('a server of the Canary that cannot be reached is named by its field', async () => {
  const own = canary([successRate]);
  const [verdict] = await measure({ ...own, spec: { ...own.spec, metricsServer: 'http://127.0.0.1:1' } }, dependencies());
  expect(verdict).toMatchObject({ code: 'Unmeasured', field: 'spec.metricsServer', reason: expect.stringContaining('nothing listens') });
});
