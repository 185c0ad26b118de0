import { afterEach, describe, expect, it } from 'vitest';
import { type HandClock, handClock } from '../../test/fakes/clock.ts';
import { kubeServer, sendJson } from '../../test/fakes/kube-server.ts';
import { connectionTo } from './connect.ts';
import { type ClusterOptions, createCluster } from './create-cluster.ts';
import { lineOf, MOST_OF_LINE, MOST_OF_UPKEEP, MOST_UNDER_WAY } from './request-line.ts';

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

const configMap = (namespace: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', name: 'settings', namespace });

async function given(options: ClusterOptions, isAnswered = true) {
  const server = await kubeServer((_, response) => isAnswered && sendJson(response, 200, {}));
  const cluster = createCluster(connectionTo(server.url, { userAgent: 'serin-test' }), options);
  open.push(
    () => cluster.close(),
    () => server.close(),
  );
  await cluster.list({ apiVersion: 'v1', kind: 'Nothing' }).catch(() => undefined); // discovery, which costs one token
  const asked = () => server.calls.flatMap(({ path }) => /namespaces\/(\w+)/.exec(path)?.[1] ?? []);
  return { cluster, asked };
}

const passSeconds = async (clock: HandClock, seconds: number, asked: () => string[]) => {
  for (let second = 0; second < seconds; second += 1) {
    const before = asked().length;
    await expect.poll(() => clock.nextInMs).toBe(1000 - (clock.monotonicMs() % 1000));
    clock.advance(1000);
    await expect.poll(() => asked().length).toBe(before + 1);
  }
};

describe('lineOf', () => {
  it.each([
    { path: '/api/v1/namespaces/shop/configmaps/settings?x=y', verb: 'get', line: 'shop' },
    { path: '/apis/flagger.app/v1beta1/namespaces/shop/canaries/web/status', verb: 'patch', line: 'shop' },
    { path: '/apis/metrics.keptn.sh/v1/namespaces/shop/keptnmetrics/latency', verb: 'get', line: 'shop' },
    { path: '/api/v1/configmaps?fieldSelector=metadata.namespace%3D/namespaces/shop/', verb: 'list', line: '' },
    { path: '/api/v1', verb: 'get', line: '' },
    { path: '/api/v1/namespaces/shop/secrets?watch=true', verb: 'watch', line: 'watch/shop' },
    { path: '/apis/apps/v1/deployments?watch=true', verb: 'watch', line: 'watch/' },
  ] as const)('$verb $path waits in "$line"', ({ path, verb, line }) => expect(lineOf({ path, verb })).toBe(line));
});

it('upkeep waits in lines of its own', () => {
  const call = { path: '/api/v1/namespaces/shop/configmaps/settings', priority: 'upkeep' } as const;
  expect([lineOf({ ...call, verb: 'get' }), lineOf({ ...call, verb: 'watch' })]).toEqual(['upkeep/shop', 'upkeep/watch/shop']);
});

describe('requests of a cluster', () => {
  it('I15: a namespace with hundreds of requests waiting delays that of another one by one place', async () => {
    const clock = handClock();
    const { cluster, asked } = await given({ clock, qps: 1, burst: 2 });
    const stop = new AbortController();
    const all = Array.from({ length: 300 }, () => cluster.get(configMap('loud'), { signal: stop.signal }).catch(() => undefined));
    const calm = cluster.get(configMap('calm'));
    await expect.poll(asked).toEqual(['loud']);
    await passSeconds(clock, 2, asked);
    expect(asked().slice(1).sort()).toEqual(['calm', 'loud']);
    stop.abort();
    await Promise.all([...all, calm]);
    expect(clock.pending).toBe(0);
  });

  it('I15: a namespace whose requests are not answered holds a bounded number of sockets, and delays no other', async () => {
    const { cluster, asked } = await given({}, false);
    const stop = new AbortController();
    const all = Array.from({ length: MOST_UNDER_WAY + 50 }, () =>
      cluster.get(configMap('loud'), { signal: stop.signal }).catch(() => undefined),
    );
    const calm = cluster.get(configMap('calm'), { signal: stop.signal }).catch(() => undefined);
    await expect.poll(() => asked().includes('calm')).toBe(true);
    expect(asked().filter((namespace) => namespace === 'loud').length).toBeLessThanOrEqual(MOST_OF_LINE);
    stop.abort();
    await Promise.all([...all, calm]);
  });

  it('I15: hundreds of namespaces together have a bounded number under way: the others wait here, and their time has not begun', async () => {
    const { cluster, asked } = await given({}, false);
    const stop = new AbortController();
    const all = Array.from({ length: 200 }, (_, nth) =>
      cluster.get(configMap(`tenant${nth}`), { signal: stop.signal }).catch(() => undefined),
    );
    await expect.poll(() => asked().length).toBe(MOST_UNDER_WAY);
    stop.abort();
    await Promise.all(all);
    expect(asked().length).toBe(MOST_UNDER_WAY);
  });

  it('I15: upkeep of hundreds of namespaces has a few requests under way, and a release goes past it', async () => {
    const { cluster, asked } = await given({}, false);
    const stop = new AbortController();
    const all = Array.from({ length: 200 }, (_, nth) =>
      cluster
        .at?.('upkeep')
        .get(configMap(`tenant${nth}`), { signal: stop.signal })
        .catch(() => undefined),
    );
    await expect.poll(() => asked().length).toBe(MOST_OF_UPKEEP);
    const release = cluster.get(configMap('calm'), { signal: stop.signal }).catch(() => undefined);
    await expect.poll(asked).toContain('calm');
    stop.abort();
    await Promise.all([...all, release]);
    expect(asked().length).toBe(MOST_OF_UPKEEP + 1);
  });
});
