import { beforeEach, describe, expect, it } from 'vitest';
import { handClock } from '../../../test/fakes/clock.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import type { KindRef, Selection } from '../../kube/cluster.ts';
import type { ListHandler } from '../../kube/watch.ts';
import type { ConfigRef } from '../../workloads/configs/config-ref.ts';
import { ConfigWatches } from './config-watches.ts';
import { LINGER_MS, LIST_PAUSE_MS, MOST_BY_NAME, MOST_BY_NAME_ALONE } from './namespace-configs.ts';

const { signal } = new AbortController();
const refs = (count: number): ConfigRef[] =>
  Array.from({ length: count }, (_, index) => ({ kind: 'ConfigMap', name: `flag-${index}`, optional: true }));
const extra: ConfigRef = { kind: 'ConfigMap', name: 'flag-0', optional: true };
const object = (name: string, resourceVersion: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, uid: `u-${name}`, resourceVersion },
});
const SHARED = 'shop/ConfigMap/all';
const FIRST_SHARED = MOST_BY_NAME + 1;
const byName = (index: number) => `shop/ConfigMap/metadata.name=flag-${index}`;

let open: Map<string, ListHandler>;
let opened: string[];
let woken: string[];
let clock: ReturnType<typeof handClock>;
let watches: ConfigWatches;

beforeEach(() => {
  open = new Map();
  opened = [];
  woken = [];
  clock = handClock();
  const watch = (kind: KindRef, handler: ListHandler, { fieldSelector = 'all' }: Selection = {}) => {
    const key = `${kind.namespace}/${kind.kind}/${fieldSelector}`;
    open.set(key, handler);
    opened.push(key);
    return { synced: Promise.resolve(), ageMs: () => 7, restarts: 0, stop: () => void open.delete(key) };
  };
  watches = new ConfigWatches({ watch }, clock, (follower) => woken.push(follower));
});

function handlerOf(key: string): ListHandler {
  const found = open.get(key);
  if (!found) throw new Error(`${key} is not watched`);
  return found;
}
/** Page by page, as a cluster does. */
function list(items: readonly KubeObject[], resourceVersion: string): void {
  const handler = handlerOf(SHARED);
  handler.onList(
    items.map((item) => handler.slim?.(item) ?? item),
    resourceVersion,
  );
}
const stateOf = (ref: ConfigRef) => watches.state(ref, 'shop', signal);
const last = (count: number): ConfigRef => ({ kind: 'ConfigMap', name: `flag-${count - 1}`, optional: true });

describe('configs beyond those watched by name', () => {
  it('I15: 4,000 optional ConfigMaps of a namespace have at most a handful of watches', async () => {
    watches.follow('shop/a', 'shop', refs(4000));
    expect(open.size).toBe(MOST_BY_NAME + 1);
    list([object('flag-3999', '4')], '9');
    expect(await stateOf(last(4000))).toEqual({ state: 'present', uid: 'u-flag-3999', resourceVersion: '4', isLive: false });
    expect(await stateOf(last(3999))).toEqual({ state: 'absent', resourceVersion: '9' });
    expect(opened.length, 'no list of each').toBe(MOST_BY_NAME + 1);
    expect(watches.watches().length, 'seen so far').toBe(1);
  });

  it('I15: nothing is kept of 100,000 others, and their events wake no Canary', () => {
    watches.follow('shop/a', 'shop', refs(17));
    const handler = handlerOf(SHARED);
    const kept = new Set(Array.from({ length: 100_000 }, (_, index) => handler.slim?.(object(`other-${index}`, '1'))));
    expect(kept.size).toBe(1);
    handler.onEvent({ type: 'ADDED', object: object('other-1', '2') });
    expect(woken).toEqual([]);
  });

  it('E56: the state follows the events of the shared watch, and a new list is a gap', async () => {
    watches.follow('shop/a', 'shop', refs(FIRST_SHARED));
    list([], '5');
    const handler = handlerOf(SHARED);
    const { name } = last(FIRST_SHARED);
    handler.onEvent({ type: 'ADDED', object: object(name, '6') });
    expect(await stateOf(last(FIRST_SHARED))).toMatchObject({ state: 'present', resourceVersion: '6' });
    handler.onEvent({ type: 'DELETED', object: object(name, '7') });
    expect(await stateOf(last(FIRST_SHARED))).toEqual({ state: 'absent', resourceVersion: '7' });
    list([], '9');
    expect(await stateOf(last(FIRST_SHARED))).toEqual({ state: 'absent', resourceVersion: '9' });
    expect(woken).toHaveLength(4);
  });

  it('E56: a config keeps its watch while others come and go, so that it is never without one', async () => {
    watches.follow('shop/a', 'shop', [extra]);
    handlerOf(byName(0)).onList([], '3');
    watches.follow('shop/b', 'shop', refs(30));
    list([], '5');
    watches.follow('shop/b', 'shop', []);
    expect([...open.keys()]).toEqual([byName(0), SHARED]);
    expect(await stateOf(extra)).toEqual({ state: 'absent', resourceVersion: '3' });
    expect(opened.filter((key) => key === byName(0))).toHaveLength(1);
  });

  it('a config that joins a watch under way is listed by name, once, and neither answer undoes the other', async () => {
    watches.follow('shop/a', 'shop', refs(17));
    list([], '5');
    watches.follow('shop/a', 'shop', refs(20));
    handlerOf(SHARED).onEvent({ type: 'ADDED', object: object('flag-17', '8') });
    handlerOf(byName(17)).onList([], '7');
    expect(await stateOf(last(18)), 'the event is newer than the list').toMatchObject({ state: 'present', resourceVersion: '8' });
    handlerOf(byName(18)).onList([object('flag-18', '2')], '7');
    handlerOf(SHARED).onEvent({ type: 'DELETED', object: object('flag-18', '6') });
    expect(await stateOf(last(19)), 'the list is newer than the event').toMatchObject({ state: 'present', resourceVersion: '2' });
    handlerOf(byName(19)).onUnavailable?.('forbidden', 'no');
    expect((await stateOf(last(20))).state).toBe('unknown');
    handlerOf(byName(19)).onList([], '9');
    expect([...open.keys()].filter((key) => key !== SHARED)).toHaveLength(MOST_BY_NAME);
  });

  it('a config that joins between the pages of a list is not taken for missing', async () => {
    watches.follow('shop/a', 'shop', refs(17));
    const handler = handlerOf(SHARED);
    const page = [handler.slim?.(object('flag-17', '2')) ?? object('', '')];
    watches.follow('shop/a', 'shop', refs(19));
    handlerOf(byName(17)).onList([object('flag-17', '2')], '5');
    handler.onList(page, '5');
    expect(await stateOf(last(18))).toMatchObject({ state: 'present', resourceVersion: '2' });
    const unanswered = stateOf(last(19));
    clock.advance(10_000);
    expect((await unanswered).state).toBe('unknown');
  });

  it('I15: many that join are listed together, later ones after a pause, and a config that left and came back again', async () => {
    watches.follow('shop/a', 'shop', refs(17));
    list([], '5');
    watches.follow('shop/b', 'shop', refs(60));
    expect(opened.slice(MOST_BY_NAME)).toEqual([SHARED, SHARED]);
    const first = handlerOf(SHARED);
    const kept = [object('flag-50', '3'), object('flag-59', '4')].map((item) => first.slim?.(item) ?? item);
    watches.follow('shop/b', 'shop', refs(59));
    watches.follow('shop/b', 'shop', refs(100));
    expect(opened.length, 'one at a time').toBe(MOST_BY_NAME + 2);
    first.onList(kept, '7');
    expect(await stateOf(last(51))).toMatchObject({ state: 'present', resourceVersion: '3' });
    expect(await stateOf(last(50))).toEqual({ state: 'absent', resourceVersion: '7' });
    expect(opened.length, 'a pause').toBe(MOST_BY_NAME + 2);
    clock.advance(LIST_PAUSE_MS);
    expect(opened.slice(MOST_BY_NAME + 2)).toEqual([SHARED]);
    const back = stateOf(last(60));
    handlerOf(SHARED).onList([], '9');
    expect(await back, 'of the second list').toEqual({ state: 'absent', resourceVersion: '9' });
    watches.stop();
    expect(clock.pending).toBe(0);
  });

  it('the shared watch outlasts a template that comes and goes, and ends some time after the last one', () => {
    for (let edit = 0; edit < 100; edit += 1) {
      watches.follow('shop/a', 'shop', refs(20));
      if (edit === 0) list([], '5');
      watches.follow('shop/a', 'shop', []);
      clock.advance(1_000);
    }
    expect(opened.filter((key) => key === SHARED)).toHaveLength(1);
    clock.advance(LINGER_MS);
    expect([open.size, clock.pending]).toEqual([0, 0]);
  });

  it('stops all', () => {
    watches.follow('shop/a', 'shop', refs(20));
    watches.follow('shop/a', 'shop', []);
    watches.stop();
    expect([open.size, clock.pending]).toEqual([0, 0]);
  });
});

describe('where a watch of the namespace is forbidden', () => {
  it('as many as permitted are watched by name, and the others have to be read', async () => {
    watches.follow('shop/a', 'shop', refs(MOST_BY_NAME_ALONE + 2));
    handlerOf(SHARED).onUnavailable?.('forbidden', 'configmaps is forbidden');
    expect([...open.keys()].filter((key) => key !== SHARED)).toHaveLength(MOST_BY_NAME_ALONE);
    handlerOf(byName(MOST_BY_NAME_ALONE - 1)).onList([], '4');
    expect(await stateOf(last(MOST_BY_NAME_ALONE))).toEqual({ state: 'absent', resourceVersion: '4' });
    expect(await stateOf(last(MOST_BY_NAME_ALONE + 1))).toEqual({ state: 'unwatched' });
    watches.follow('shop/b', 'shop', [...refs(MOST_BY_NAME_ALONE + 3)]);
    expect(await stateOf(last(MOST_BY_NAME_ALONE + 3))).toEqual({ state: 'unwatched' });
  });

  it('they are watched once it is granted', async () => {
    watches.follow('shop/a', 'shop', refs(MOST_BY_NAME_ALONE + 1));
    handlerOf(SHARED).onUnavailable?.('forbidden', 'configmaps is forbidden');
    woken = [];
    list([], '9');
    expect(await stateOf(last(MOST_BY_NAME_ALONE + 1))).toEqual({ state: 'absent', resourceVersion: '9' });
    expect(woken).toEqual(['shop/a']);
  });
});
