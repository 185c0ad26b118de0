import { beforeEach, describe, expect, it } from 'vitest';
import { handClock } from '../../../test/fakes/clock.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import type { KindRef, Selection, WatchHandler } from '../../kube/cluster.ts';
import type { ListHandler } from '../../kube/watch.ts';
import type { ConfigRef } from '../../workloads/configs/config-ref.ts';
import { ConfigWatches } from './config-watches.ts';

const settings: ConfigRef = { kind: 'ConfigMap', name: 'settings', optional: false };
const db: ConfigRef = { kind: 'Secret', name: 'db', optional: false };
const { signal } = new AbortController();
const metadata = (name: string, resourceVersion: string, annotations = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, uid: 'u-1', resourceVersion, annotations },
});

let open: Map<string, { handler: WatchHandler; selection: Selection & { metadataOnly?: boolean } }>;
let woken: string[];
let clock: ReturnType<typeof handClock>;
let watches: ConfigWatches;

beforeEach(() => {
  open = new Map();
  woken = [];
  clock = handClock();
  const watch = (kind: KindRef, handler: WatchHandler, selection: Selection & { metadataOnly?: boolean } = {}) => {
    const key = `${kind.namespace}/${kind.kind}/${selection.fieldSelector}`;
    open.set(key, { handler, selection });
    return { synced: Promise.resolve(), ageMs: () => 7, restarts: 0, stop: () => void open.delete(key) };
  };
  watches = new ConfigWatches({ watch }, clock, (follower) => woken.push(follower));
});
const handlerOf = (key: string): WatchHandler => {
  const found = open.get(key);
  if (!found) throw new Error(`${key} is not watched`);
  return found.handler;
};
const SETTINGS = 'shop/ConfigMap/metadata.name=settings';

describe('ConfigWatches', () => {
  it('watches single objects by name, metadata only, and each once for all Canaries', () => {
    watches.follow('shop/a', 'shop', [settings, db]);
    watches.follow('shop/b', 'shop', [settings]);
    expect([...open.keys()]).toEqual([SETTINGS, 'shop/Secret/metadata.name=db']);
    expect([...open.values()].every(({ selection }) => selection.metadataOnly === true)).toBe(true);
  });

  it('stops a watch when the last Canary no longer needs it', () => {
    watches.follow('shop/a', 'shop', [settings, db]);
    watches.follow('shop/b', 'shop', [settings]);
    watches.follow('shop/a', 'shop', []);
    expect([...open.keys()]).toEqual([SETTINGS]);
    watches.follow('shop/b', 'shop', []);
    expect([...open.keys()]).toEqual([]);
  });

  it('watches a config once that a target reads in several places, and lets go of it once', () => {
    watches.follow('shop/a', 'shop', [settings, db, settings]);
    expect(open.size).toBe(2);
    watches.follow('shop/a', 'shop', [settings]);
    expect([...open.keys()]).toEqual([SETTINGS]);
    watches.follow('shop/a', 'shop', [settings, settings]);
    watches.follow('shop/a', 'shop', []);
    expect(open.size).toBe(0);
    watches.follow('shop/a', 'shop', []);
  });

  it('remembers identity, version and opt-out, and wakes the followers when they change', async () => {
    watches.follow('shop/a', 'shop', [settings]);
    watches.follow('shop/b', 'shop', [settings]);
    const handler = handlerOf(SETTINGS);
    handler.onList([metadata('settings', '1')]);
    expect(await watches.state(settings, 'shop', signal)).toEqual({ state: 'present', uid: 'u-1', resourceVersion: '1', isLive: false });
    handler.onList([metadata('settings', '1')]);
    handler.onEvent({ type: 'MODIFIED', object: metadata('settings', '2', { 'flagger.app/config-tracking': 'disabled' }) });
    expect(await watches.state(settings, 'shop', signal)).toEqual({ state: 'present', uid: 'u-1', resourceVersion: '2', isLive: true });
    handler.onEvent({ type: 'DELETED', object: metadata('settings', '3') });
    expect(await watches.state(settings, 'shop', signal)).toEqual({ state: 'absent', resourceVersion: '3' });
    expect(woken).toEqual(['shop/a', 'shop/b', 'shop/a', 'shop/b', 'shop/a', 'shop/b']);
  });

  it('E56: knows since when a missing config was watched without a gap, and wakes the followers after a gap', async () => {
    watches.follow('shop/a', 'shop', [settings]);
    const handler: ListHandler = handlerOf(SETTINGS);
    handler.onList([], '5');
    expect(await watches.state(settings, 'shop', signal)).toEqual({ state: 'absent', resourceVersion: '5' });
    handler.onEvent({ type: 'ADDED', object: metadata('settings', '6') });
    handler.onEvent({ type: 'DELETED', object: metadata('settings', '7') });
    expect(await watches.state(settings, 'shop', signal)).toEqual({ state: 'absent', resourceVersion: '7' });
    woken = [];
    handler.onList([], '9');
    expect(await watches.state(settings, 'shop', signal)).toEqual({ state: 'absent', resourceVersion: '9' });
    expect(woken).toEqual(['shop/a']);
  });

  it('a forbidden watch says what to grant, and does not count as stale', async () => {
    watches.follow('shop/a', 'shop', [db]);
    handlerOf('shop/Secret/metadata.name=db').onUnavailable?.('forbidden', 'secrets "db" is forbidden');
    expect(await watches.state(db, 'shop', signal)).toEqual({
      state: 'unknown',
      problem: {
        code: 'ConfigUnreadable',
        object: { apiVersion: 'v1', kind: 'Secret', name: 'db', namespace: 'shop' },
        detail: expect.stringMatching(/^cannot be watched: .*grant list and watch .*--secrets-mode=get or off$/),
      },
    });
    expect(watches.watches()).toEqual([]);
  });

  it('waits for the first answer, but not for ever', async () => {
    watches.follow('shop/a', 'shop', [settings]);
    const early = watches.state(settings, 'shop', signal);
    handlerOf(SETTINGS).onList([]);
    expect(await early).toMatchObject({ state: 'absent' });
    expect(clock.pending).toBe(0);
    watches.follow('shop/a', 'shop', [settings, db]);
    const never = watches.state(db, 'shop', signal);
    clock.advance(10_000);
    expect(await never).toMatchObject({ state: 'unknown', problem: { code: 'ConfigUnreadable', object: { kind: 'Secret', name: 'db' } } });
  });

  it('stops waiting when its Canary does', async () => {
    watches.follow('shop/a', 'shop', [settings]);
    const stopping = new AbortController();
    const waiting = watches.state(settings, 'shop', stopping.signal);
    stopping.abort(new Error('stopped'));
    await expect(waiting).rejects.toThrow('stopped');
  });
});
