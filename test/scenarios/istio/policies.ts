import { describe, expect, it } from 'vitest';
import { weight } from '../../../src/api/routes.ts';
import { eventually } from '../eventually.ts';
import { istio } from '../providers/istio.ts';
import { type Expected, primary } from '../route-rows.ts';
import { type Pods, SplitApp } from '../shares/split-app.ts';
import { sleep } from '../world.ts';
import { ask } from './ask.ts';
import type { IstioEnvironment } from './places.ts';
import type { Asked } from './row.ts';

const FAILS = { ERROR_RATE: '1' };
export const OUTLIERS = {
  outlierDetection: { consecutive5xxErrors: 2, interval: '1s', baseEjectionTime: '120s', maxEjectionPercent: 100 },
};

/** `service.trafficPolicy`, which Serin writes into the DestinationRules of both sides. */
export function describePolicies(environmentOf: () => IstioEnvironment, namespace: string): void {
  const run = async (name: string, trafficPolicy: object, pods: Pods, routes = primary) => {
    const fixture = { ...istio, service: () => ({ trafficPolicy }) };
    const app = await SplitApp.run(environmentOf(), fixture, { name, namespace }, { pods });
    await app.route(routes);
    return (asked: readonly Asked[]) => Promise.all(asked.map((each) => ask(environmentOf(), { host: app.host, ...each })));
  };
  const times = (count: number, asked: Asked = {}): Asked[] => Array.from({ length: count }, () => asked);
  const outcome = ({ status, version }: Required<Expected>): string => `${status} ${version ?? 'proxy'}`;
  const podsOf = (answers: readonly Required<Expected>[]) => new Set(answers.map(({ answered }) => answered['x-serin-pod']));

  describe.concurrent('policies', () => {
    it('a consistent hash of a header keeps each user at one pod, and spreads users over all', async () => {
      const policy = { loadBalancer: { consistentHash: { httpHeaderName: 'x-user' } } };
      const asking = await run('hashed', policy, { count: 3 });
      const user = (name: string): Asked => ({ headers: { 'x-user': name } });
      for (const name of ['ann', 'bob', 'eve']) expect(podsOf(await asking(times(20, user(name)))).size).toBe(1);
      expect(podsOf(await asking(Array.from({ length: 60 }, (_, index) => user(`user-${index}`)))).size).toBe(3);
    });

    it('a consistent hash keeps no one on a side: the canary also gets its share of a single user', async () => {
      const policy = { loadBalancer: { consistentHash: { httpHeaderName: 'x-user' } } };
      const asking = await run('hashed-sides', policy, { count: 2 }, { kind: 'weighted', canary: weight(50) });
      const answers = await asking(times(60, { headers: { 'x-user': 'ann' } }));
      expect(new Set(answers.map(outcome))).toEqual(new Set(['200 1', '200 2']));
      for (const version of ['1', '2']) expect(podsOf(answers.filter((each) => each.version === version)).size).toBe(1);
    });

    it('a consistent hash of a query parameter', async () => {
      const asking = await run('hashed-query', { loadBalancer: { consistentHash: { httpQueryParameterName: 'user' } } }, { count: 3 });
      expect(podsOf(await asking(times(20, { path: '/?user=ann&x=1' }))).size).toBe(1);
      expect(podsOf(await asking(Array.from({ length: 60 }, (_, index) => ({ path: `/?user=${index}` })))).size).toBe(3);
    });

    it('a consistent hash of a cookie, which who has none gets', async () => {
      const policy = { loadBalancer: { consistentHash: { httpCookie: { name: 'user', path: '/shop', ttl: '60s' } } } };
      const asking = await run('hashed-cookie', policy, { count: 3 });
      const [first] = await asking(times(1));
      const [cookie = ''] = [first?.answered['set-cookie']].flat();
      expect(cookie).toMatch(/^user="[0-9a-f]+"; Max-Age=60; Path=\/shop; HttpOnly$/);
      const again = await asking(times(20, { headers: { cookie: cookie.split(';')[0] ?? '' } }));
      expect(podsOf(again)).toEqual(podsOf(first ? [first] : []));
      expect(again.map(({ answered }) => answered['set-cookie'])).toEqual(again.map(() => undefined));
      expect(podsOf(await asking(times(60))).size).toBe(3);
    });

    it('a pod that fails is left out, and the others answer everything', async () => {
      const asking = await run('outlier', OUTLIERS, { env: { 1: FAILS }, others: {}, count: 2 });
      const outcomes = await eventually(
        'the failing pod is left out',
        async () => (await asking(times(20))).map(outcome),
        (got) => got.every((each) => each === '200 1'),
      );
      expect(outcomes).toHaveLength(20);
    });

    it('no more pods are left out than the policy permits', async () => {
      const policy = { outlierDetection: { ...OUTLIERS.outlierDetection, maxEjectionPercent: 50 } };
      const asking = await run('outlier-half', policy, { env: { 1: FAILS }, count: 2 });
      const answers = await eventually(
        'one pod is left',
        () => asking(times(20)),
        (got) => podsOf(got).size === 1,
      );
      expect(new Set(answers.map(outcome))).toEqual(new Set(['500 1']));
      expect(podsOf(await asking(times(20)))).toEqual(podsOf(answers));
    });

    it('none of two pods is left out where the policy names no share: it would be more than 10%', async () => {
      const { maxEjectionPercent: _, ...outlierDetection } = OUTLIERS.outlierDetection;
      const asking = await run('outlier-default', { outlierDetection }, { env: { 1: FAILS }, count: 2 });
      expect((await asking(times(40))).map(outcome)).toEqual(times(40).map(() => '500 1'));
      const after = await asking(times(40));
      expect(podsOf(after).size).toBe(2);
      expect(after.map(outcome)).toEqual(times(40).map(() => '500 1'));
    });

    it('once every pod is left out the proxy itself answers 503', async () => {
      const asking = await run('outliers', OUTLIERS, { env: { 1: FAILS } });
      expect((await asking(times(1))).map(outcome)).toEqual(['500 1']);
      await eventually(
        'no pod is left',
        async () => (await asking(times(5))).map(outcome),
        (got) => got.every((each) => each === '503 proxy'),
      );
    });

    it('requests beyond the pool of connections are answered 503 at once', async () => {
      const policy = { connectionPool: { tcp: { maxConnections: 1 }, http: { http1MaxPendingRequests: 1 } } };
      const asking = await run('pooled', policy, { env: { 1: { LATENCY_MS: '3000' } } });
      const first = asking(times(1));
      // A request waits while its connection is opened: the others come when the first one has its own.
      await sleep(1_000);
      const others = await asking(times(7));
      expect((await first).map(outcome)).toEqual(['200 1']);
      expect(others.map(outcome).toSorted()).toEqual(['200 1', ...times(6).map(() => '503 proxy')]);
      expect((await asking(times(1))).map(outcome)).toEqual(['200 1']);
    });
  });
}
