import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PrometheusDriver } from 'prometheus-query';
import { afterEach, describe, expect, it } from 'vitest';
import { type EmbeddedPrometheus, startPrometheus } from './index.ts';
import type { IngestedSample } from './series.ts';

const endMs = 1_000_000_000;
let server: EmbeddedPrometheus | undefined;
afterEach(() => server?.stop());

const start = async (samples: readonly IngestedSample[] = []) => {
  server = await startPrometheus({ targets: [], now: () => endMs });
  server.ingest(samples);
  return server;
};
/** One sample each 15 s, the last at the end of the clock. */
const series = (name: string, labels: Record<string, string>, values: readonly number[]): IngestedSample[] =>
  values.map((value, i) => ({ labels: { __name__: name, ...labels }, tMs: endMs - (values.length - 1 - i) * 15_000, value }));
const values = (prometheus: EmbeddedPrometheus, promql: string, atMs?: number): string[] => {
  const data = prometheus.query(promql, atMs);
  if (data.resultType === 'matrix') return data.result.flatMap((one) => one.values.map(([, value]) => value));
  return data.resultType === 'vector' ? data.result.map((one) => one.value[1]) : [data.result[1]];
};

const fixture = [
  ...series('req', { code: '200' }, [0, 9, 18, 27, 36]),
  ...series('req', { code: '500' }, [0, 1, 2, 3, 4]),
  ...series('restarted', {}, [100, 110, 5, 15, 25]),
  ...series('lat_bucket', { le: '0.1' }, [50]),
  ...series('lat_bucket', { le: '0.5' }, [90]),
  ...series('lat_bucket', { le: '+Inf' }, [100]),
  ...series('version', { code: '200', v: 'a' }, [1]),
];

describe('PromQL', () => {
  it.each([
    ['req{code="200"}', ['36']],
    ['req{code=~"2"}', []],
    // Four of five points lie in (end − 60 s, end]: 27 in 45 s, stretched by 15 s at the start.
    ['increase(req{code="200"}[1m])', ['36']],
    ['rate(req{code="200"}[1m])', ['0.6']],
    ['sum(rate(req{code!~"5.*"}[1m])) / sum(rate(req[1m])) * 100', ['90']],
    // 5 − 110 is a restart: 25 − 110 + 110 = 25 in 45 s, stretched by 15 s.
    ['round(increase(restarted[1m]), 0.01)', ['33.33']],
    ['irate(req{code="500"}[1m]) * 15', ['1']],
    ['histogram_quantile(0.5, lat_bucket)', ['0.1']],
    // rank 70, 20 of the 40 between 0.1 and 0.5.
    ['histogram_quantile(0.7, lat_bucket)', ['0.30000000000000004']],
    ['histogram_quantile(0.99, lat_bucket)', ['0.5']],
    ['req * on(code) group_left(v) version', ['36']],
    ['req unless on(code) version', ['4']],
    ['topk(1, req)', ['36']],
    ['-1 ^ 2', ['-1']],
    ['-Inf', ['-Inf']],
    ['1e-7', ['0.0000001']],
    ['0 / 0', ['NaN']],
    ['absent(nothing{a="b"})', ['1']],
    ['count_over_time(req{code="200"}[1m] offset 1m30s)', []],
    // An offset belongs to the selector before it, not to the whole expression.
    ['req{code="200"} - req{code="200"} offset 30s', ['18']],
    ['-req{code="200"} offset 15s', ['-27']],
    // A moment belongs to the selector before it, in any subquery.
    ['req{code="200"} - req{code="200"} @ 999970', ['18']],
    ['req{code="200"} offset 15s @ 999970', ['9']],
    ['sum_over_time((req{code="200"} @ 999970)[30s:15s])', ['36']],
    // At 999,970, 999,980, 999,990 and 1,000,000 s: multiples of the step, without the start.
    ['(req{code="200"})[40s:10s]', ['18', '18', '27', '36']],
    ['max_over_time(req{code="500"}[30s:15s] @ 999970)', ['1']],
    ['resets(restarted[1m] @ 999970)', ['1']],
    // Without a right side nothing is compared, duplicates on the left or not.
    ['nothing / on() req', []],
    ['clamp_max(vector(NaN), -Inf)', ['-Inf']],
    ['clamp(vector(NaN), 0, 1)', ['NaN']],
  ])('answers %s', async (promql, expected) => {
    expect(values(await start(fixture), promql)).toEqual(expected);
  });

  it.each([
    ['req / ', /1:\d+: parse error: unexpected end of input/],
    ['nofunction(req)', /unknown function with name "nofunction"/],
    ['req @ end()', /1:7: parse error: @ end is not supported by the embedded Prometheus/],
    ['(req) @ 5', /@ modifier must be preceded by/],
    ['1[5m:1m]', /subquery is only allowed on instant vector, got scalar/],
    ['deriv(req[5m])', /function deriv\(\) is not supported/],
    ['count_values("code", req)', /aggregation count_values\(\) is not supported/],
    ['req atan2 req', /1:5: parse error: operator atan2 is not supported/],
    ['rate(req[5m] smoothed)', /SmoothedExpr is not supported/],
    ['req[5m] offset 1m offset 1m', /offset modifier must be preceded by an instant or range vector selector/],
    ['(req) offset 1m', /offset modifier must be preceded by/],
    ['req @ 5 @ 6', /@ modifier must be preceded by/],
    ['(req)[5m]', /ranges only allowed for vector selectors/],
    ['rate(req)', /expected type range vector in call to function "rate", got instant vector/],
    ['1 > 2', /comparisons between scalars must use BOOL/],
    ['{a=~".*"}', /at least one non-empty matcher/],
    ['req{code=~"(?=2)"}', /error parsing regexp/],
    ['version / on() req', /found duplicate series for the match group/],
  ])('refuses %s by its reason', async (promql, reason) => {
    const prometheus = await start(fixture);
    expect(() => prometheus.query(promql)).toThrow(reason);
  });

  it('stretches a change to a near end of the range, by half a distance to a far end, and never below zero', async () => {
    const prometheus = await start(fixture);
    // Points at −30, −15 and 0 s; 5 s to the start of the range, 25 s to its end, which is far: 30 + 5 + 7.5 of 30 s.
    expect(Number(values(prometheus, 'increase(req{code="500"}[1m])', endMs + 25_000)[0])).toBeCloseTo((2 * 42.5) / 30, 9);
    // The counter starts at 0, so it cannot have grown before its first point.
    expect(values(prometheus, 'increase(req{code="500"}[90s])')).toEqual(['4']);
  });

  it('sees a series for five minutes after its last sample, and not past a stale marker', async () => {
    const prometheus = await start(series('old', {}, [1]));
    expect(values(prometheus, 'old', endMs + 299_999)).toEqual(['1']);
    expect(values(prometheus, 'old', endMs + 300_000)).toEqual([]);
    prometheus.ingest([{ labels: { __name__: 'old' }, tMs: endMs + 1000 }]);
    expect(values(prometheus, 'old', endMs + 1000)).toEqual([]);
  });
});

describe('the HTTP API', () => {
  it('answers GET and POST form alike', async () => {
    const { url } = await start(fixture);
    const expected = { status: 'success', data: { resultType: 'vector', result: [{ metric: {}, value: [1_000_000, '40'] }] } };
    expect(await (await fetch(`${url}/api/v1/query?query=sum(req)`)).json()).toEqual(expected);
    const body = new URLSearchParams({ query: 'sum(req)' });
    expect(await (await fetch(`${url}/api/v1/query`, { method: 'POST', body })).json()).toEqual(expected);
    expect((await fetch(`${url}/-/ready`)).status).toBe(200);
  });

  it('answers a range, point by point', async () => {
    const { url } = await start(fixture);
    const query = new URLSearchParams({ query: 'req{code="500"}', start: '999970', end: '1000000', step: '15s' });
    const answer: unknown = await (await fetch(`${url}/api/v1/query_range?${query}`)).json();
    expect(answer).toHaveProperty('data.result.0.values', [
      [999_970, '2'],
      [999_985, '3'],
      [1_000_000, '4'],
    ]);
  });

  it.each([
    ['foo bar', 400, 'bad_data'],
    ['version / on() req', 422, 'execution'],
  ])('answers %s with status %i', async (promql, status, errorType) => {
    const { url } = await start(fixture);
    const response = await fetch(`${url}/api/v1/query?query=${encodeURIComponent(promql)}`);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ status: 'error', errorType });
  });
});

it('scrapes a target, and ends a series that disappears or whose target is down', async () => {
  let text = '# HELP a x\na{path="/x\\"y",instance="own"} 5\nb 1 \n';
  const target = createServer((_, response) => (text === '' ? response.writeHead(500).end() : response.end(text)));
  await new Promise<void>((resolve) => {
    target.listen(0, '127.0.0.1', resolve);
  });
  let nowMs = endMs;
  const url = `http://127.0.0.1:${(target.address() as AddressInfo).port}/metrics`;
  server = await startPrometheus({ targets: [url], scrapeIntervalMs: 60_000, now: () => nowMs });
  await server.scrape();
  expect(values(server, 'a{path="/x\\"y",exported_instance="own"}')).toEqual(['5']);
  expect(values(server, 'b')).toEqual(['1']);
  nowMs += 1000;
  text = 'a 6\n';
  await server.scrape();
  expect([values(server, 'a'), values(server, 'b')]).toEqual([['6'], []]);
  nowMs += 1000;
  text = '';
  await server.scrape();
  expect([values(server, 'a'), values(server, 'up')]).toEqual([[], ['0']]);
  target.close();
});

describe('the driver of prometheus-query', () => {
  it('reads instant and range queries, and the error of a wrong query', async () => {
    const { url } = await start(fixture);
    const driver = new PrometheusDriver({ endpoint: url });
    const instant = await driver.instantQuery('sum by (code) (req)', endMs);
    expect(instant.resultType).toBe('vector');
    expect(instant.result.map(({ metric, value }) => [metric.labels, value.time.getTime(), value.value])).toEqual([
      [{ code: '200' }, endMs, 36],
      [{ code: '500' }, endMs, 4],
    ]);
    const posting = new PrometheusDriver({ endpoint: url, preferPost: true });
    const range = await posting.rangeQuery('req{code="500"}', endMs - 30_000, endMs, 15);
    expect(range.resultType).toBe('matrix');
    expect(range.result.map(({ metric, values: points }) => [metric.name, points.map(({ value }: { value: number }) => value)])).toEqual([
      ['req', [2, 3, 4]],
    ]);
    expect((await driver.instantQuery('1', endMs)).result).toEqual([endMs / 1000, '1']);
    await expect(driver.instantQuery('sum(', endMs)).rejects.toMatchObject({ errorType: 'http_error', httpStatus: 400 });
  });
});
