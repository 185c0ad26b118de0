import { expect, it } from 'vitest';
import { sourceOf } from '../../../test/contracts/metric-backends/backend-case.ts';
import { keptnAnalysis as known, passed } from '../../../test/contracts/metric-backends/keptn.ts';
import type { ClusterRequest } from '../http/ask-cluster.ts';
import { keptn } from './keptn.ts';
import { readKeptnQuery } from './keptn-query.ts';

const signal = new AbortController().signal;

it.each([
  [
    'analysis/shop/slo/5m/Region=EU;tier=gold',
    { kind: 'analysis', namespace: 'shop', definition: 'slo', timeframe: '5m', args: { Region: 'EU', tier: 'gold' } },
  ],
  ['Analyses/shop/SLO\n', { kind: 'analysis', namespace: 'shop', definition: 'slo', timeframe: '1m', args: {} }],
  ['keptnmetrics/shop/latency/ignored', { kind: 'metric', namespace: 'shop', name: 'latency' }],
])('%j is read', (query, read) => {
  expect(readKeptnQuery(query)).toEqual(read);
});

it.each([
  'metric/shop',
  'metric/shop/x',
  'analysis/shop',
  'analysis//slo',
  'analysis/../slo',
  'keptnmetric/shop/..',
  'keptnmetric/shop/a?b',
])('%j is refused, so that no query leads elsewhere on the API server', (query) => {
  expect(readKeptnQuery(query)).toEqual({ problem: expect.stringContaining('is not keptnmetric/namespace/name') });
});

it('a timeframe that is not a duration is refused', () => {
  expect(readKeptnQuery('analysis/shop/slo/soon')).toEqual({ problem: expect.stringContaining('"soon" is not a duration') });
});

/** A cluster whose Analysis has these states, one for each request; the last one is repeated. */
function cluster(...looks: (string | { status: number; body: string })[]) {
  const asked: string[] = [];
  const askCluster = async ({ method = 'GET' }: ClusterRequest, within: AbortSignal) => {
    within.throwIfAborted();
    asked.push(method);
    if (method !== 'GET') return { status: 200, body: '{}' };
    const look = (looks.length > 1 ? looks.shift() : looks[0]) ?? '';
    return typeof look === 'string' ? { status: 200, body: look } : look;
  };
  return { asked, askCluster };
}

function run(askCluster: ReturnType<typeof cluster>['askCluster'], timeoutMs: number, cancel = signal) {
  const made = keptn({ ...sourceOf(known, 'keptn', ''), askCluster, timeoutMs });
  if ('problem' in made) throw new Error(made.problem);
  return made.runQuery(known.query, cancel);
}

const pending = JSON.stringify({ kind: 'Analysis', status: { state: 'Progressing' } });

it('an analysis is polled until it is complete, and then deleted', async () => {
  const { asked, askCluster } = cluster('{"kind":"Analysis"}', pending, '{"kind":"Analysis","status":{"state":"Completed"}}', passed);
  expect(await run(askCluster, 500)).toEqual({ kind: 'value', value: 1 });
  expect(asked).toEqual(['POST', 'GET', 'GET', 'GET', 'GET', 'DELETE']);
});

it('an analysis that fails is zero', async () => {
  const { askCluster } = cluster('{"kind":"Analysis","status":{"state":"Completed","pass":false}}');
  expect(await run(askCluster, 500)).toEqual({ kind: 'value', value: 0 });
});

it('an analysis that is not complete in time is also deleted, as is an analysis that is cancelled', async () => {
  const late = cluster(pending);
  expect(await run(late.askCluster, 50)).toEqual({ kind: 'error', reason: 'Keptn did not answer within 50 ms' });
  expect(late.asked.at(-1)).toBe('DELETE');
  const cancelled = cluster(pending);
  const cancelling = new AbortController();
  const running = run(
    async (request, within) => {
      if (request.method === undefined) cancelling.abort();
      return cancelled.askCluster(request, within);
    },
    10_000,
    cancelling.signal,
  );
  expect(await running).toEqual({ kind: 'error', reason: 'the query was cancelled' });
  expect(cancelled.asked).toEqual(['POST', 'DELETE']);
});

it.each([
  'keptnmetric/other/latency',
  'KEPTNMETRICS/Other/latency',
  'analysis/other/slo/5m/a=b',
  'analyses/default/slo',
  'keptnmetric/shop-2/latency',
])('%j is refused, since a template of namespace shop can only query its own namespace', async (query) => {
  const { asked, askCluster } = cluster(passed);
  const made = keptn({ ...sourceOf(known, 'keptn', ''), askCluster });
  if ('problem' in made) throw new Error(made.problem);
  expect(await made.runQuery(query, signal)).toEqual({
    kind: 'error',
    reason: expect.stringContaining('and can read only namespace "shop"'),
  });
  expect(asked).toEqual([]);
});
