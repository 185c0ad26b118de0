import { describe, expect, it } from 'vitest';
import { type HandClock, handClock } from '../../test/fakes/clock.ts';
import { HeldCluster } from '../../test/fakes/held-cluster.ts';
import { eventually } from '../../test/scenarios/eventually.ts';
import type { KubeObject } from '../api/kube-object.ts';
import { ApiError, RequestTimeoutError } from '../kube/errors.ts';
import { type Follow, follow } from './follow.ts';

const settings = (name: string): KubeObject => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'test' } });
const watched = (name: string) => ({
  kind: { apiVersion: 'v1', kind: 'ConfigMap' },
  selection: { fieldSelector: `metadata.name=${name}` },
});

/** A view that reads a number, each time the next one. */
function following(over: Partial<Follow<number>> = {}, clock: HandClock = handClock()) {
  const cluster = new HeldCluster();
  const stopping = new AbortController();
  const shown: number[] = [];
  const said: (string | undefined)[] = [];
  let reads = 0;
  const ended = follow<number>({
    ...{ cluster, clock, first: 0, signal: stopping.signal },
    read: async () => {
      reads += 1;
      return reads;
    },
    watchedBy: () => [watched('a')],
    show: (value) => void shown.push(value),
    connection: (lost) => said.push(lost),
    ...over,
  });
  /** Moves the clock until it is so. */
  const until = (what: string, isSo: () => boolean) =>
    eventually(what, () => {
      if (!isSo()) clock.advance(1_000);
      return isSo();
    });
  return { cluster, shown, said, stop: () => stopping.abort(), ended, until, reads: () => reads, clock };
}

describe('following the cluster', () => {
  it('reads once for a burst of changes, and not at all without one', async () => {
    const view = following();
    await view.until('the first list is read', () => view.shown.length === 2);
    for (let each = 0; each < 10; each += 1) view.cluster.put(settings('a'));
    await view.until('the burst is read', () => view.shown.length === 3);
    view.clock.advance(60_000);
    view.cluster.put(settings('b'));
    view.stop();
    await view.ended;
    expect(view.shown).toEqual([0, 1, 2]);
    expect(view.reads()).toBe(2);
    expect(view.cluster.watches).toBe(0);
  });
  it('watches what the last value names, and no more', async () => {
    const view = following({ watchedBy: (value) => (value === 0 ? [watched('a')] : [watched('b'), watched('c')]) });
    await view.until('both are watched', () => view.cluster.watches === 2);
    const before = view.shown.length;
    view.cluster.put(settings('c'));
    await view.until('the change is shown', () => view.shown.length > before);
    view.stop();
    await view.ended;
  });
  it.each([new ApiError('etcd: 503', { status: 503, reason: 'ServiceUnavailable' }), new RequestTimeoutError('GET canaries', 30_000)])(
    'tries again after $message',
    async (error) => {
      let tries = 0;
      const read = async () => {
        tries += 1;
        if (tries < 3) throw error;
        return tries;
      };
      const view = following({ read });
      await view.until('it is read', () => view.shown.includes(3));
      expect(view.said.slice(0, 3)).toEqual([error.message, error.message, undefined]);
      view.stop();
      await view.ended;
    },
  );
  it('ends with an error that trying again does not mend, and closes its watches', async () => {
    const read = async () => Promise.reject(new ApiError('canaries: 403', { status: 403, reason: 'Forbidden' }));
    const view = following({ read });
    const ended = view.ended.then(
      () => 'ended',
      (error: Error) => error.message,
    );
    let result = '';
    void ended.then((how) => {
      result = how;
    });
    await view.until('it ends', () => result !== '');
    expect(result).toBe('canaries: 403');
    expect(view.cluster.watches).toBe(0);
  });
  it('does not wait for a read that never ends', async () => {
    let isRead = false;
    const view = following({
      read: () => {
        isRead = true;
        return new Promise<number>(() => undefined);
      },
    });
    await view.until('it reads', () => isRead);
    view.stop();
    await view.ended;
    expect(view.cluster.watches).toBe(0);
  });
});
