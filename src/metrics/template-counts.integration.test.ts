import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { type HandClock, handClock } from '../../test/fakes/clock.ts';
import { canary, dependencies, endMs } from '../../test/fakes/measuring.ts';
import type { Metric } from '../api/canary.ts';
import type { ToCompare } from '../judge/compared.ts';
import { compare } from './measure.ts';

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

const orders: Metric = { name: 'orders', templateRef: { name: 'orders' }, compare: {} };
const counts = {
  total: 'orders{app="{{ target }}"}[{{ interval }}]',
  bad: 'orders{app="{{ target }}",ok="no"}[{{ interval }}]',
};
const asked: ToCompare = { metric: 'orders', fromMs: endMs - 12_999 };

/** The answer for these values of total and bad of the canary and then of the primary, and the queries that the backend got. */
async function answerTo(
  values: readonly (string | undefined)[],
  { metric = orders, spec = { counts } as object, question = asked, answering = (_: HandClock) => {}, signal = dependencies().signal } = {},
) {
  const clock = handClock();
  const queries: string[] = [];
  const reported: (string | undefined)[] = [];
  server = createServer(({ url = '' }, response) => {
    const query = new URL(url, 'http://localhost').searchParams.get('query') ?? '';
    queries.push(query);
    answering(clock);
    const value = values[(query.includes('-primary') ? 2 : 0) + (query.includes('ok=') ? 1 : 0)];
    if (value === 'refused') response.writeHead(503).end();
    else
      response.end(
        JSON.stringify({
          status: 'success',
          data: { resultType: 'vector', result: value === undefined ? [] : [{ metric: {}, value: [1, value] }] },
        }),
      );
  });
  await new Promise<void>((resolve) => {
    server?.listen(0, '127.0.0.1', resolve);
  });
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const [answer] = await compare(canary([metric]), [question], {
    ...dependencies(),
    clock,
    signal,
    template: async () => ({ spec: { provider: { type: 'prometheus', address }, query: 'q', ...spec } }),
    templateAsked: (_, problem) => reported.push(problem),
  });
  return { answer, queries: queries.toSorted(), reported };
}

it('20.3: the counts of a MetricTemplate are queried for both sides, in a window of whole seconds', async () => {
  const { answer, queries, reported } = await answerTo(['20', '3', '500', '4.5']);
  expect(answer).toEqual({
    metric: 'orders',
    kind: 'window',
    window: { fromMs: asked.fromMs, toMs: endMs, canary: { requests: 20, failures: 3 }, primary: { requests: 500, failures: 4.5 } },
  });
  expect(queries).toEqual([
    'orders{app="podinfo",ok="no"}[12s]',
    'orders{app="podinfo"}[12s]',
    'orders{app="podinfo-primary",ok="no"}[12s]',
    'orders{app="podinfo-primary"}[12s]',
  ]);
  expect(reported).toEqual([undefined]);
});

it('20.3: a window ends when all queries are answered: queries that wait reach that much further', async () => {
  const { answer } = await answerTo(['20', '3', '500', '4.5'], { answering: (clock) => clock.advance(2_000) });
  expect(answer).toMatchObject({ kind: 'window', window: { fromMs: asked.fromMs, toMs: endMs + 8_000 } });
});

it('a reading that is cancelled reports nothing about its template', async () => {
  const newer = new AbortController();
  const { answer, reported } = await answerTo(['20', '3', '500', '4.5'], { answering: () => newer.abort(), signal: newer.signal });
  expect([answer, reported]).toEqual([expect.objectContaining({ kind: 'unknown' }), []]);
});

it('20.3: without a series of failures their number is 0, and without a series of requests the side had none', async () => {
  const { answer } = await answerTo(['20', undefined, undefined, undefined]);
  expect(answer).toMatchObject({
    kind: 'window',
    window: { canary: { requests: 20, failures: 0 }, primary: { requests: 0, failures: 0 } },
  });
});

it.each<[string, (string | undefined)[], object, RegExp]>([
  [
    'no data of either side',
    [undefined, '1', undefined, '1'],
    {},
    /^MetricTemplate test\/orders: spec\.counts\.total gives no data for podinfo, nor for podinfo-primary$/,
  ],
  ['a backend that fails', ['1', '1', 'refused', '1'], {}, /^MetricTemplate test\/orders: Prometheus answered 503$/],
  ['a negative count', ['1', '-1', '1', '1'], {}, /-1 cannot be a count; query: orders/],
  ['failures that are not a number', ['20', 'NaN', '500', '4'], {}, /^MetricTemplate test\/orders: NaN cannot be a count; query: orders/],
  ['requests that are not a number', ['NaN', '1', '500', '4'], {}, /NaN cannot be a count/],
  ['an infinite count', ['+Inf', '1', '1', '1'], {}, /Infinity cannot be a count/],
  ['a template without counts', [], { spec: {} }, /^MetricTemplate test\/orders has no spec\.counts/],
  ['a query that cannot be rendered', [], { spec: { counts: { ...counts, bad: '{{ nothing }}' } } }, /query template/],
  ['a metric without compare', [], { metric: { ...orders, compare: undefined } }, /^no metric orders has compare and templateRef$/],
  ['a metric without a template', [], { metric: { ...orders, templateRef: undefined } }, /^no metric orders has compare and templateRef$/],
  ['less than a second', [], { question: { ...asked, fromMs: endMs - 999 } }, /only begun/],
])('I11: %s is unknown, with the reason', async (_, values, more, reason) => {
  const { answer } = await answerTo(values, more);
  expect(answer).toEqual({ metric: 'orders', kind: 'unknown', reason: expect.stringMatching(reason) });
});

it('20.3: the history is empty, and is not queried', async () => {
  const { answer, queries } = await answerTo([], { question: { ...asked, learnMs: 5_000 } });
  expect([answer, queries]).toEqual([{ metric: 'orders', kind: 'history', primary: [] }, []]);
});

it('I11: a template that is not found is unknown, with the reason', async () => {
  const [answer] = await compare(canary([orders]), [asked], dependencies());
  expect(answer).toMatchObject({ kind: 'unknown', reason: expect.stringContaining('MetricTemplate test/orders: not found') });
});
