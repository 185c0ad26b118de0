import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { canary, dependencies, endMs } from '../../test/fakes/measuring.ts';
import type { ToCompare } from '../judge/compared.ts';
import { compare } from './measure.ts';

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

interface Asked {
  method: string | undefined;
  query: string;
}

/** The answer to a question for this response of Prometheus, and the requests that it took. */
async function answerTo(asked: ToCompare, body: string, status = 200) {
  const requests: Asked[] = [];
  server = createServer(async (request, response) => {
    const form = (await Array.fromAsync(request)).join('');
    const given = request.method === 'POST' ? form : new URL(request.url ?? '', 'http://localhost').search;
    requests.push({ method: request.method, query: new URLSearchParams(given).get('query') ?? '' });
    response.writeHead(status).end(body);
  });
  await new Promise<void>((resolve) => {
    server?.listen(0, '127.0.0.1', resolve);
  });
  const metricsServer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const [answer] = await compare(canary([]), [asked], { ...dependencies(), metricsServer });
  return { answer, requests };
}

const errors: ToCompare = { metric: 'errors', fromMs: endMs - 10_000 };
const plan = { primaryMs: 100, canaryMs: 250, tolerated: 2.5 };
const answered = (resultType: string, result: unknown) => JSON.stringify({ status: 'success', data: { resultType, result } });
type Reading = [part: string, value: string, labels?: object];
const vector = (...readings: Reading[]) =>
  answered(
    'vector',
    readings.map(([serin_part, value, labels]) => ({ metric: { serin_part, instance: 'a', ...labels }, value: [endMs / 1000, value] })),
  );
const good: Reading[] = [
  ['canary all from', '10'],
  ['canary all to', '30'],
  ['canary succeeded from', '9'],
  ['canary succeeded to', '27'],
  ['primary all from', '100'],
  ['primary all to', '500'],
  ['primary succeeded to', '400'],
  ['primary succeeded from', '100'],
];
const but = (...readings: Reading[]) => vector(...good.filter(([part]) => readings.every((one) => one[0] !== part)), ...readings);
const counts = (requests: number, failures: number) => ({ requests, failures });

describe('an answer of Prometheus', () => {
  it('I11: a complete answer gives counts of both sides', async () => {
    const { answer, requests } = await answerTo(errors, vector(...good));
    expect(answer).toMatchObject({ kind: 'window', window: { canary: counts(20, 2), primary: counts(400, 100) } });
    expect(requests).toHaveLength(1);
  });

  it.each<[string, string]>([
    ['is not a number', but(['canary all to', 'NaN'])],
    ['is infinite', but(['canary all to', '+Inf'])],
    ['was infinite', but(['canary all from', '+Inf'], ['canary all to', '+Inf'])],
    ['was negative', but(['canary all from', '-10'])],
    ['went down', but(['canary all to', '9'])],
    ['succeeded less often than before', but(['canary succeeded to', '8'])],
    ['succeeded more often than it was asked', but(['canary succeeded to', '30'])],
    ['was reset', but(['canary resets from', '1'], ['canary resets to', '2'])],
    ['has resets that cannot be counted', but(['canary resets to', 'NaN'])],
    ['changed its series', but(['canary changed to', '1'])],
    ['is another instance than before', but(['canary all to', '30', { instance: 'b' }])],
  ])('I11: a counter that %s gives nothing', async (_, body) => {
    const { answer } = await answerTo(errors, body);
    expect(answer).toMatchObject({ kind: 'window', window: { canary: counts(0, 0), primary: counts(400, 100) } });
  });

  it('20.3: a reset before the window has no effect', async () => {
    const { answer } = await answerTo(errors, but(['canary resets from', '2'], ['canary resets to', '2']));
    expect(answer).toMatchObject({ window: { canary: counts(20, 2) } });
  });

  const unexpected = /^Prometheus gave an unexpected response/;
  it.each<[string, string, RegExp]>([
    ['nothing', vector(), /^no series of istio_requests_total/],
    ['series of the begin alone', vector(['canary all from', '1'], ['primary all from', '1']), /^no series of istio_requests_total/],
    ['a series without our label', answered('vector', [{ metric: { instance: 'a' }, value: [1, '1'] }]), /without the labels of the query/],
    ['a part of no side', but(['apex all to', '1']), /without the labels of the query/],
    ['a series without instance', but(['canary all to', '30', { instance: '' }]), /no label instance/],
    ['a pod whose name is too long', but(['canary all to', '30', { instance: 'x'.repeat(254) }]), /name that no pod can have/],
    ['labels that are numbers', but(['canary all to', '30', { instance: 7 }]), unexpected],
    ['numbers that are numbers', answered('vector', [{ metric: {}, value: [1, 1] }]), unexpected],
    ['texts that are not numbers', but(['canary all to', '30x']), /"30x" is not a number/],
    ['a native histogram', answered('vector', [{ metric: {}, histogram: [1, {}] }]), unexpected],
    ['a scalar', answered('scalar', [1, '1']), unexpected],
    [
      'a matrix',
      answered('matrix', [
        {
          metric: { serin_part: 'canary all to', instance: 'a' },
          values: [
            [1, '1'],
            [2, '1'],
          ],
        },
      ]),
      /more than one moment/,
    ],
    [
      'a matrix without points',
      answered('matrix', [{ metric: { serin_part: 'canary all to', instance: 'a' }, values: [] }]),
      /more than one moment/,
    ],
    ['an error', '{"status":"error","error":"no"}', unexpected],
    ['a page', '<html>', unexpected],
    [
      'far too many series',
      vector(...Array.from({ length: 20_000 }, (_, index): Reading => ['canary all to', '1', { instance: `i${index}` }])),
      /longer than 1 MiB/,
    ],
  ])('I11: %s is unknown, with the reason', async (_, body, reason) => {
    for (const asked of [errors, { ...errors, metric: 'latency', plan }]) {
      const { answer } = await answerTo(asked, body);
      expect(answer).toEqual({ metric: asked.metric, kind: 'unknown', reason: expect.any(String) });
      if (asked === errors) expect(answer).toMatchObject({ reason: expect.stringMatching(reason) });
    }
  });

  it.each([503, 400, 302])('I11: status %d is unknown, with the reason', async (status) => {
    const { answer } = await answerTo(errors, vector(...good), status);
    expect(answer).toEqual({ metric: 'errors', kind: 'unknown', reason: `Prometheus answered ${status}` });
  });
});

describe('the history of the primary', () => {
  const series = (part: string, ...values: string[]) => ({
    metric: { serin_part: part },
    values: values.map((value, index) => [index * 5, value]),
  });
  const learnt = (...result: object[]) => answerTo({ ...errors, learnMs: 5_000 }, answered('matrix', result));

  it('20.3: is the increase in each step, without resets, pods that come or go and idle steps', async () => {
    const { answer, requests } = await learnt(
      series('all', '10', '30', '30', '5', '25', '925', '930', 'NaN', '940'),
      series('succeeded', '10', '29', '29', '5', '24', '900', '905', '905', '910'),
      series('instances', '1', '1', '1', '1', '1', '2', '2', '2', '2'),
    );
    expect(answer).toEqual({ metric: 'errors', kind: 'history', primary: [counts(20, 1), counts(20, 1), counts(5, 0)] });
    expect(requests).toHaveLength(1);
  });

  it('20.3: leaves out a leap that no process can count', async () => {
    const { answer } = await learnt(
      series('all', '10', '30', '4000000000000030', '4000000000000050'),
      series('succeeded', '10', '30', '30', '50'),
      series('instances', '1', '1', '1', '1'),
    );
    expect(answer).toMatchObject({ primary: [counts(20, 0), counts(20, 0)] });
  });

  it('20.3: has only failures if no request succeeded', async () => {
    const { answer } = await learnt(series('all', '10', '30'), series('instances', '1', '1'));
    expect(answer).toMatchObject({ primary: [counts(20, 20)] });
  });

  it('20.3: is empty if Prometheus has no samples', async () => {
    expect((await learnt()).answer).toEqual({ metric: 'errors', kind: 'history', primary: [] });
  });

  it.each([
    [1_000, '[10800000ms:5000ms]'],
    [15_000, '[10800000ms:15000ms]'],
  ])('20.3: is queried in steps of %d ms, or in steps of which three hours have 2,160', async (learnMs, range) => {
    const { requests } = await answerTo({ ...errors, learnMs }, answered('matrix', []));
    expect(requests[0]?.query).toContain(`${range} @ ${((endMs - 10_000) / 1000).toFixed(3)}`);
  });
});

describe('latency', () => {
  const latency: ToCompare = { metric: 'latency', fromMs: endMs - 10_000, plan };
  const bucket = (side: string, le: string, from: string, to: string): Reading[] => [
    [`${side} all from`, from, { le }],
    [`${side} all to`, to, { le }],
  ];
  const primary = [
    ...bucket('primary', '100', '10', '20'),
    ...bucket('primary', '250', '10', '30'),
    ...bucket('primary', '+Inf', '10', '40'),
  ];

  it('20.3: counts slow requests as failures, in any notation of a bound', async () => {
    const body = vector(
      ...bucket('canary', '100.0', '1', '2'),
      ...bucket('canary', '2.5e+02', '1', '5'),
      ...bucket('canary', '+Inf', '1', '11'),
      ...primary,
    );
    const { answer, requests } = await answerTo(latency, body);
    expect(answer).toMatchObject({ kind: 'window', window: { canary: counts(10, 6), primary: counts(30, 20) } });
    expect(requests).toHaveLength(1);
  });

  it('20.3: is unknown if the histogram has other buckets', async () => {
    const { answer } = await answerTo(latency, vector(...bucket('canary', '+Inf', '1', '11'), ...primary));
    expect(answer).toEqual({
      metric: 'latency',
      kind: 'unknown',
      reason: expect.stringContaining('histogram of the canary does not have the buckets'),
    });
  });

  it('20.3: gives nothing of a pod that lacks a bucket, and a side without series has no requests', async () => {
    const other: Reading[] = primary.map(([part, value, labels]) => [part, value, { ...labels, instance: 'b' }]);
    const { answer } = await answerTo(latency, vector(...primary, ...other.slice(2)));
    expect(answer).toMatchObject({ kind: 'window', window: { canary: counts(0, 0), primary: counts(30, 20) } });
  });

  it('20.3: needs its thresholds first', async () => {
    const { answer, requests } = await answerTo({ metric: 'latency', fromMs: 0 }, vector());
    expect(answer).toMatchObject({ kind: 'unknown', reason: 'the thresholds of latency are not known yet' });
    expect(requests).toEqual([]);
  });
});

it('20.3: a query that is too long for a request line is posted, with the same answer', async () => {
  const { answer, requests } = await answerTo(errors, vector(...good));
  expect(answer).toMatchObject({ kind: 'window' });
  expect(requests.map(({ method }) => method)).toEqual(['POST']);
  const history = await answerTo({ ...errors, learnMs: 15_000 }, answered('matrix', []));
  expect(history.requests.map(({ method }) => method)).toEqual(['GET']);
});

it('20.3: a window that has not begun is not queried', async () => {
  for (const fromMs of [endMs, endMs + 1, Number.NaN]) {
    const { answer, requests } = await answerTo({ metric: 'errors', fromMs }, vector(...good));
    expect([answer, requests]).toEqual([{ metric: 'errors', kind: 'unknown', reason: 'the window has only begun' }, []]);
  }
});
