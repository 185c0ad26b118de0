import { afterEach, describe, expect, it } from 'vitest';
import { handClock } from '../../test/fakes/clock.ts';
import { kubeServer, refuse, sendJson } from '../../test/fakes/kube-server.ts';
import type { Lease } from '../api/kinds/lease.ts';
import { connectionTo } from './connect.ts';
import { createCluster } from './create-cluster.ts';
import { electLeader } from './lease.ts';

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

/** A server that keeps one Lease with optimistic concurrency, and can be made to refuse all. */
async function given(slowNote: () => string | undefined = () => undefined) {
  const clock = handClock();
  const state: { lease?: Lease; version: number; broken: boolean; requests: number; onWrite?: (() => void) | undefined } = {
    ...{ version: 0, broken: false, requests: 0 },
  };
  const server = await kubeServer(({ method, body }, response) => {
    state.requests += 1;
    if (method !== 'GET') state.onWrite?.();
    if (state.broken) return refuse(response, 500, 'InternalError');
    if (method === 'GET') return state.lease === undefined ? refuse(response, 404, 'NotFound') : sendJson(response, 200, state.lease);
    const sent: Lease = JSON.parse(body);
    const known = state.lease?.metadata.resourceVersion;
    if (method === 'POST' ? known !== undefined : sent.metadata.resourceVersion !== known) return refuse(response, 409, 'Conflict');
    state.version += 1;
    state.lease = { ...sent, metadata: { ...sent.metadata, resourceVersion: String(state.version) } };
    return sendJson(response, 200, state.lease);
  });
  let underWay = 0;
  const counted =
    <A extends unknown[], R>(send: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      underWay += 1;
      try {
        return await send(...args);
      } finally {
        underWay -= 1;
      }
    };
  const client = createCluster(connectionTo(server.url), { clock: handClock() });
  const cluster = { ...client, get: counted(client.get), create: counted(client.create), replace: counted(client.replace) };
  open.push(
    () => client.close(),
    () => server.close(),
  );
  const campaign = (identity: string) => {
    const calls: string[] = [];
    const signals: AbortSignal[] = [];
    const leadership = electLeader(cluster, {
      namespace: 'serin',
      name: 'leader',
      identity,
      clock,
      slowNote,
      onLeading: (signal) => {
        calls.push('leading');
        signals.push(signal);
      },
      onLost: () => calls.push('lost'),
      onReleased: () => calls.push('released'),
    });
    open.unshift(() => leadership.stop());
    return { leadership, calls, signals };
  };
  /** Moves the clock in steps until the condition holds, and never while a request is under way: answers take no time. */
  const moveUntil = (stepMs: number, condition: () => boolean): Promise<void> =>
    expect
      .poll(
        () => {
          if (condition()) return true;
          if (underWay === 0) clock.advance(stepMs);
          return condition();
        },
        { interval: 5 },
      )
      .toBe(true);
  return { clock, state, cluster, campaign, moveUntil, holder: () => state.lease?.spec?.holderIdentity };
}

describe('leader election', () => {
  it('takes a free lease and may write until renewedAt + renewDeadline', async () => {
    const { campaign, holder } = await given();
    const a = campaign('a');
    await expect.poll(() => a.leadership.isLeader()).toBe(true);
    expect(holder()).toBe('a');
    expect(a.leadership.mayWriteUntilMs()).toBe(10_000);
  });

  it('I9: stops leading at the deadline when it cannot renew, and campaigns again', async () => {
    const { campaign, clock, state, moveUntil } = await given();
    const a = campaign('a');
    await expect.poll(() => a.leadership.isLeader()).toBe(true);
    state.broken = true;
    clock.advance(9_999);
    expect(a.leadership.isLeader()).toBe(true);
    clock.advance(1);
    expect([a.leadership.isLeader(), a.leadership.mayWriteUntilMs(), a.signals[0]?.aborted]).toEqual([false, 0, true]);
    expect(a.calls).toEqual(['leading', 'lost']);
    state.broken = false;
    await moveUntil(2_000, () => a.leadership.isLeader());
    expect(a.calls).toEqual(['leading', 'lost', 'leading']);
  });

  it('notes at a renewal that the API server is slow, and takes the note off when it is over; another annotation stays', async () => {
    let note: string | undefined = '[]';
    const { campaign, state, moveUntil } = await given(() => note);
    campaign('a');
    await expect.poll(() => state.lease?.metadata.annotations).toEqual({ 'serin.dev/slow-api-server': '[]' });
    expect(state.lease?.metadata.labels).toEqual({ 'serin.dev/slow-api-server': 'true' });
    const version = ++state.version;
    if (state.lease) state.lease.metadata = { ...state.lease.metadata, annotations: { other: 'kept' }, resourceVersion: String(version) };
    note = undefined;
    await moveUntil(500, () => state.version > version);
    expect([state.lease?.metadata.annotations, state.lease?.metadata.labels]).toEqual([{ other: 'kept' }, undefined]);
  });

  it('I9: may write until the deadline, counted from when it sent the renewal, however late the answer came', async () => {
    const { campaign, clock, state, moveUntil } = await given();
    const a = campaign('a');
    await expect.poll(() => a.leadership.isLeader()).toBe(true);
    let heardAtMs = 0;
    state.onWrite = () => {
      heardAtMs = clock.monotonicMs();
      state.onWrite = undefined;
      clock.advance(3_000);
    };
    await moveUntil(500, () => a.leadership.mayWriteUntilMs() > 10_000);
    expect(heardAtMs).toBeGreaterThan(0);
    expect(a.leadership.mayWriteUntilMs()).toBeLessThanOrEqual(heardAtMs + 10_000);
  });

  it('I9: does not lead by an answer that comes after the deadline, and campaigns again', async () => {
    const { campaign, clock, state, moveUntil } = await given();
    state.onWrite = () => {
      state.onWrite = undefined;
      clock.advance(11_000);
    };
    const a = campaign('a');
    await moveUntil(500, () => a.leadership.isLeader());
    expect(a.calls).toEqual(['leading']);
  });

  it('I9: a renewal without an answer is given up with the time to write', async () => {
    const { cluster, clock, moveUntil } = await given();
    const renewals: AbortSignal[] = [];
    const replace: typeof cluster.replace = (_, options) =>
      new Promise((_resolve, reject) => {
        if (!options?.signal) throw new Error('it has no limit');
        renewals.push(options.signal);
        options.signal.addEventListener('abort', () => reject(new Error('given up')));
      });
    const silent: typeof cluster = Object.create(cluster, { replace: { value: replace } });
    const times = { leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 2_000 };
    const leadership = electLeader(silent, {
      ...{ namespace: 'serin', name: 'leader', identity: 'a', clock, ...times },
      ...{ onLeading: () => undefined, onLost: () => undefined },
    });
    open.unshift(() => leadership.stop());
    await moveUntil(100, () => renewals.length > 0);
    expect(leadership.isLeader()).toBe(true);
    clock.advance(leadership.mayWriteUntilMs() - clock.monotonicMs());
    expect(renewals[0]?.aborted).toBe(true);
  });

  it('I9: a holder that was frozen past its time sends no more requests in its name, and campaigns again', async () => {
    const { clock, state, cluster } = await given();
    const warnings: unknown[] = [];
    const calls: string[] = [];
    // All timers that fell due meanwhile run after the freeze, the earliest first.
    const late: (() => void)[] = [];
    let isFrozen = false;
    const frozen: typeof clock = Object.create(clock, {
      setTimer: { value: (ms: number, run: () => void) => clock.setTimer(ms, () => (isFrozen ? late.push(run) : run())) },
    });
    const leadership = electLeader(cluster, {
      ...{ namespace: 'serin', name: 'leader', identity: 'a', clock: frozen },
      ...{ onLeading: () => calls.push('leading'), onLost: () => calls.push('lost') },
      log: { warn: (fields) => warnings.push(fields) },
    });
    open.unshift(() => leadership.stop());
    await expect.poll(() => leadership.isLeader()).toBe(true);
    const { requests } = state;
    isFrozen = true;
    clock.advance(38_000);
    isFrozen = false;
    for (const run of late.splice(0)) {
      run();
      await new Promise(setImmediate);
    }
    await expect.poll(() => calls).toEqual(['leading', 'lost']);
    expect(warnings).toEqual([{ lease: 'serin/leader', why: 'renew deadline passed' }]);
    expect(state.requests).toBe(requests);
  });

  it('waits as long as the holder has promised, with any settings of its own', async () => {
    const { campaign, clock, state, moveUntil } = await given();
    state.lease = {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: 'leader', namespace: 'serin', resourceVersion: '0' },
      spec: { holderIdentity: 'gone', leaseDurationSeconds: 60, renewTime: '2001-01-01T00:00:00.000000Z' },
    };
    const b = campaign('b');
    await expect.poll(() => state.requests).toBe(1);
    await moveUntil(2_000, () => b.leadership.isLeader());
    expect(clock.monotonicMs()).toBeGreaterThanOrEqual(60_000);
  });

  it('leaves a renewed lease to its holder and takes over a lease that is not renewed for its duration', async () => {
    const { campaign, clock, state, holder, moveUntil } = await given();
    state.lease = {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: 'leader', namespace: 'serin', resourceVersion: '0' },
      spec: { holderIdentity: 'gone', leaseDurationSeconds: 15, renewTime: '2001-01-01T00:00:00.000000Z' },
    };
    const b = campaign('b');
    await expect.poll(() => state.requests).toBe(1);
    await moveUntil(500, () => b.leadership.isLeader());
    expect(clock.monotonicMs()).toBeGreaterThanOrEqual(15_000); // since b first saw it: another machine's clock says nothing
    expect(holder()).toBe('b');
    expect(state.lease?.spec?.leaseTransitions).toBe(1);
  });

  it('is lost at once when another holder is found', async () => {
    const { campaign, clock, state, moveUntil } = await given();
    const a = campaign('a');
    await expect.poll(() => a.leadership.isLeader()).toBe(true);
    const lease = state.lease;
    if (lease === undefined) throw new Error('no lease');
    state.lease = { ...lease, metadata: { ...lease.metadata, resourceVersion: '99' }, spec: { ...lease.spec, holderIdentity: 'b' } };
    await moveUntil(500, () => a.calls.includes('lost'));
    expect(clock.monotonicMs()).toBeLessThan(10_000);
  });

  it('keeps the lease through a conflict that changed no holder', async () => {
    const { campaign, state, moveUntil } = await given();
    const a = campaign('a');
    await expect.poll(() => a.leadership.isLeader()).toBe(true);
    const lease = state.lease;
    if (lease === undefined) throw new Error('no lease');
    state.lease = { ...lease, metadata: { ...lease.metadata, resourceVersion: '99', labels: { by: 'someone' } } };
    await moveUntil(500, () => a.leadership.mayWriteUntilMs() > 10_000);
    expect(a.calls).toEqual(['leading']);
    expect(state.lease?.metadata.labels).toEqual({ by: 'someone' });
  });

  it('releases the lease when stopped while a renewal was being stored, without waiting for its answer', async () => {
    const { campaign, state, holder, moveUntil } = await given();
    const a = campaign('a');
    await moveUntil(100, () => a.calls.includes('leading'));
    state.version += 1;
    if (state.lease) state.lease = { ...state.lease, metadata: { ...state.lease.metadata, resourceVersion: String(state.version) } };
    await a.leadership.stop();
    expect(holder()).toBe('');
  });

  it('releases the lease when stopped, and a standby takes it at its next look', async () => {
    const { campaign, clock, holder, state, moveUntil } = await given();
    const a = campaign('a');
    await expect.poll(() => a.leadership.isLeader()).toBe(true);
    const b = campaign('b');
    const before = state.requests;
    await expect.poll(() => state.requests).toBeGreaterThan(before);
    await a.leadership.stop();
    expect(holder()).toBe('');
    // A candidate that only reads the record does not wait for it either.
    expect(state.lease?.spec?.leaseDurationSeconds).toBe(1);
    expect(a.calls).toEqual(['leading', 'released']);
    await moveUntil(500, () => b.leadership.isLeader());
    expect(clock.monotonicMs()).toBeLessThan(15_000);
  });
});
