import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { type HandClock, handClock } from '../../test/fakes/clock.ts';
import { kubeServer, refuse, type SeenCall, sendJson } from '../../test/fakes/kube-server.ts';
import { connectionTo } from './connect.ts';
import { type ClusterOptions, createCluster } from './create-cluster.ts';
import { RequestPacing } from './request-pacing.ts';
import { withPriority } from './with-priority.ts';
import { writesOfTerm } from './write-deadline.ts';

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

interface Pending {
  call: SeenCall;
  answer(): void;
  refuse(status: number, retryAfterSeconds?: number): void;
  isClosed: boolean;
}

const settings = (namespace: string, name = 'settings') => ({ apiVersion: 'v1', kind: 'ConfigMap', name, namespace });

/** A server that answers when the test says so; the client paces its requests. */
async function given({ clock = handClock(), ...options }: ClusterOptions & { clock?: HandClock } = {}) {
  const pending: Pending[] = [];
  const server = await kubeServer((call, response: ServerResponse) => {
    const one: Pending = {
      call,
      isClosed: false,
      answer: () => sendJson(response, 200, {}),
      refuse: (status, retryAfter) =>
        refuse(response, status, `HTTP${status}`, retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) }),
    };
    response.once('close', () => {
      one.isClosed = true;
    });
    pending.push(one);
  });
  const pacing = new RequestPacing({ clock, random: () => 0 });
  const cluster = createCluster(connectionTo(server.url), { clock, pacing, ...options });
  open.push(
    () => cluster.close(),
    () => server.close(),
  );
  await cluster.list({ apiVersion: 'v1', kind: 'Nothing' }).catch(() => undefined); // discovery
  const arrived = (count: number) => expect.poll(() => pending.length).toBe(count);
  /** Waits until all earlier requests have arrived: it sends two reads, one after the other. */
  const allArrived = async () => {
    for (const name of ['fence', 'second-fence']) {
      const read = cluster.get(settings('fence', name));
      const own = () => pending.find(({ call }) => call.path.endsWith(`/${name}`));
      await expect.poll(own).toBeDefined();
      own()?.answer();
      await read;
      pending.splice(
        pending.findIndex(({ call }) => call.path.endsWith(`/${name}`)),
        1,
      );
    }
  };
  /** Writes that wait for their turn. */
  const waiting = () => pacing.figures().writes.reduce((sum, one) => sum + one.waiting, 0);
  return { clock, cluster, pacing, pending, arrived, allArrived, waiting };
}

describe('paced writes', () => {
  it('go out four at a time at first, by resource; reads are not held', async () => {
    const { cluster, pacing, pending, arrived } = await given();
    const writes = Array.from({ length: 20 }, (_, nth) => cluster.patch(settings(`tenant${nth}`), { data: {} }));
    await arrived(4);
    void cluster.patch({ apiVersion: 'v1', kind: 'Pod', name: 'web', namespace: 'shop' }, {}).catch(() => undefined);
    void cluster.get(settings('shop')).catch(() => undefined);
    await arrived(6);
    expect(pacing.figures().writes).toEqual([
      { resource: 'configmaps', limit: 4, underWay: 4, waiting: 16 },
      { resource: 'pods', limit: 4, underWay: 1, waiting: 0 },
    ]);
    expect(pacing.slow().map(({ resource }) => resource)).toEqual(['configmaps']);
    for (let nth = 0; nth < 22; nth += 1) {
      await expect.poll(() => pending.length).toBeGreaterThan(nth);
      pending[nth]?.answer();
    }
    await Promise.all(writes);
    expect(pacing.slow()).toEqual([]);
  });

  it('a rollback goes next, past 200 initializations that wait, and within a priority namespaces take turns', async () => {
    const { clock, cluster, pending, arrived, waiting } = await given();
    const stop = new AbortController();
    const { signal } = stop;
    const initialization = withPriority(cluster, 'initialization');
    const sent = (namespace: string, name: string) =>
      initialization.patch(settings(namespace, name), {}, { signal }).catch(() => undefined);
    const all = Array.from({ length: 200 }, (_, nth) => sent(nth < 190 ? 'loud' : 'calm', `c${nth}`));
    await arrived(4);
    // Down to a limit of one.
    clock.advance(1);
    for (const one of pending.slice(0, 4)) one.refuse(429);
    await arrived(6);
    clock.advance(1);
    for (const one of pending.slice(4, 6)) one.refuse(429);
    await arrived(7);
    const before = waiting();
    all.push(
      withPriority(cluster, 'rollback')
        .patch(settings('shop', 'rollback'), {}, { signal })
        .then(() => undefined),
    );
    await expect.poll(waiting).toBe(before + 1);
    pending[6]?.answer();
    await expect.poll(() => pending.length).toBeGreaterThan(7);
    expect(pending[7]?.call.path).toContain('/shop/configmaps/rollback');
    for (let nth = 7; nth < 12; nth += 1) {
      await expect.poll(() => pending.length).toBeGreaterThan(nth);
      pending[nth]?.answer();
    }
    const next = pending.slice(8).map(({ call }) => /namespaces\/(\w+)/.exec(call.path)?.[1]);
    expect(next).toContain('calm');
    stop.abort(new Error('over'));
    await Promise.all(all);
  });

  it('a write is not cancelled before the server gives it up itself, and a read after its own deadline', async () => {
    const { clock, cluster, pending, arrived } = await given();
    const read = cluster.get(settings('shop')).catch((error: Error) => error.name);
    const write = cluster.patch(settings('shop'), {});
    await arrived(2);
    clock.advance(60_000);
    expect(await read).toBe('RequestTimeoutError');
    expect(pending.filter(({ call }) => call.method === 'PATCH').map(({ isClosed }) => isClosed)).toEqual([false]);
    pending.find(({ call }) => call.method === 'PATCH')?.answer();
    await write;
    expect(pending).toHaveLength(2);
  });

  it('a write whose caller no longer waits goes on, and is not sent again before its answer', async () => {
    const { cluster, pending, arrived, allArrived } = await given();
    const stop = new AbortController();
    const first = cluster.patch(settings('shop'), { data: { a: '1' } }, { signal: stop.signal });
    await arrived(1);
    stop.abort(new Error('superseded'));
    await expect(first).rejects.toThrow('superseded');
    const second = cluster.patch(settings('shop'), { data: { a: '2' } });
    const other = cluster.patch(settings('shop', 'other'), {});
    await arrived(2);
    await allArrived();
    expect(pending.map(({ call, isClosed }) => [call.path.split('/').at(-1), isClosed])).toEqual([
      ['settings', false],
      ['other', false],
    ]);
    pending[0]?.answer();
    await arrived(3);
    for (const one of pending.slice(1)) one.answer();
    await Promise.all([second, other]);
  });

  it('I9: ends with the term of the lease, and is not sent again before the server would have given it up', async () => {
    let term = new AbortController();
    let untilMs = 10_000;
    const lease = { mayWriteUntilMs: () => untilMs, term: () => term.signal };
    const clock = handClock();
    const { cluster, pending, arrived, allArrived } = await given({ clock, beforeSend: writesOfTerm(() => lease, clock) });
    const first = cluster.patch(settings('shop'), {});
    await arrived(1);
    // Renewed twice: the write goes on.
    clock.advance(9_000);
    untilMs = 19_000;
    clock.advance(9_000);
    expect(pending[0]?.isClosed).toBe(false);
    term.abort(new Error('the lease is lost'));
    await expect(first).rejects.toThrow('the lease is lost');
    await expect.poll(() => pending[0]?.isClosed).toBe(true);
    await expect(cluster.patch(settings('shop', 'other'), {})).rejects.toThrow('the lease could have ended');
    term = new AbortController();
    untilMs = 1_000_000;
    const second = cluster.patch(settings('shop'), {});
    await allArrived();
    clock.advance(46_000);
    await allArrived();
    expect(pending).toHaveLength(1);
    clock.advance(1_000);
    await arrived(2);
    pending[1]?.answer();
    await second;
  });
});

describe('paced retries', () => {
  it('wait as long as Retry-After says, also where the caller sends again by itself', async () => {
    const { clock, cluster, pending, arrived, allArrived } = await given();
    const first = cluster.patch(settings('shop'), {});
    await arrived(1);
    pending[0]?.refuse(429, 3_600);
    await expect(first).rejects.toMatchObject({ status: 429, retryAfterMs: 3_600_000 });
    const second = cluster.patch(settings('shop'), {});
    await allArrived();
    clock.advance(3_599_000);
    await allArrived();
    expect(pending).toHaveLength(1);
    clock.advance(1_000);
    await arrived(2);
    pending[1]?.answer();
    await second;
  });

  it('are held by one budget for all: a server that fails sees little more than first attempts', async () => {
    const { clock, cluster, pacing, pending, allArrived } = await given();
    let answered = 0;
    const all = Array.from({ length: 100 }, async (_, nth) => {
      for (let tries = 0; tries < 3; tries += 1) await cluster.get(settings('shop', `c${nth}`)).catch(() => undefined);
    });
    await expect
      .poll(() => {
        for (const one of pending.slice(answered)) one.refuse(500);
        answered = pending.length;
        return pacing.figures().retriesWaiting;
      })
      .toBe(100);
    await allArrived();
    expect(pending).toHaveLength(120);
    // The server is well again.
    let isDone = false;
    const done = Promise.all(all).then(() => {
      isDone = true;
    });
    await expect
      .poll(() => {
        for (const one of pending.slice(answered)) one.answer();
        answered = pending.length;
        clock.advance(500);
        return isDone;
      })
      .toBe(true);
    await done;
  });
});
