import { describe, expect, it } from 'vitest';
import { handClock } from '../../../test/fakes/clock.ts';
import { raw } from '../../../test/fakes/raw.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import type { Cluster, WatchHandler } from '../../kube/cluster.ts';
import { ApiError } from '../../kube/errors.ts';
import type { ListHandler } from '../../kube/watch.ts';
import { ClusterView, MOST_READ_AHEAD, UnlistedError } from './cluster-view.ts';
import { KindWatches } from './kind-watches.ts';

const ref = { apiVersion: 'v1', kind: 'Service', name: 'web', namespace: 'test' };
const isReady = (object: KubeObject | undefined) => raw(object)?.status?.ready === true;

function service(name: string, version: number, ready: boolean): KubeObject {
  return { apiVersion: 'v1', kind: 'Service', metadata: { name, namespace: 'test', resourceVersion: String(version) }, status: { ready } };
}

/** A view of one kind, whose watch the test feeds by hand. */
function aView(fails: (name: string) => boolean = () => false) {
  const handlers: WatchHandler[] = [];
  const none = () => Promise.reject(new Error('the view makes no request of its own'));
  const cluster: Cluster = {
    ...{ get: none, list: none, create: none, replace: none, apply: none, patch: none, delete: none, settled: none },
    watch(_, handler) {
      handlers.push(handler);
      return { synced: Promise.resolve(), ageMs: () => 0, restarts: 0, stop: () => undefined };
    },
    close: () => undefined,
  };
  const clock = handClock();
  const stopping = new AbortController();
  const changes: string[] = [];
  const view = new ClusterView(new KindWatches(cluster, []), ({ kind, name }) => {
    changes.push(`${kind} ${name}`);
    if (fails(name)) throw new Error('cannot be handled');
  });
  const until = () => view.until(ref, isReady, { clock, boundMs: 60_000, signal: stopping.signal, late: 'web does not become ready' });
  const bring = (object: KubeObject) => handlers[0]?.onEvent({ type: 'MODIFIED', object });
  const list = (...items: KubeObject[]) => handlers[0]?.onList(items);
  /** A list of this version. */
  const listAt = (version: number, ...items: KubeObject[]) => (handlers[0] as ListHandler | undefined)?.onList(items, String(version));
  const forbid = () => handlers[0]?.onUnavailable?.('forbidden', 'may not list');
  return { view, clock, stopping, until, bring, list, listAt, forbid, changes };
}

it('waits for what the watch brings, without a request', async () => {
  const { until, bring, list, clock } = aView();
  const waiting = until();
  list(service('web', 1, false));
  await expect.poll(() => clock.pending).toBe(1);
  bring(service('other', 2, true));
  bring(service('web', 3, false));
  expect(clock.pending, 'still waiting').toBe(1);
  bring(service('web', 4, true));
  await waiting;
  expect(clock.pending, 'its timer is gone').toBe(0);
});

it('does not wait for what is so already', async () => {
  const { until, list, view } = aView();
  void view.ready(ref);
  list(service('web', 1, true));
  await expect(until()).resolves.toBeUndefined();
});

it('says what did not happen when the bound is over, and ends with its signal', async () => {
  const first = aView();
  const late = expect(first.until()).rejects.toThrow('web does not become ready');
  first.list();
  await expect.poll(() => first.clock.pending).toBe(1);
  first.clock.advance(60_000);
  await late;
  const second = aView();
  const stopped = expect(second.until()).rejects.toThrow('stopping');
  second.list();
  await expect.poll(() => second.clock.pending).toBe(1);
  second.stopping.abort(new Error('stopping'));
  await stopped;
});

it('I8: a measurement of a scaler, every 15 s, wakes no Canary, and an edit of it does', () => {
  const { view, list, bring, changes } = aView();
  const scaler = { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', name: 'web', namespace: 'test' };
  const measured = (version: number, currentReplicas: number, maxReplicas = 9): KubeObject => ({
    ...scaler,
    metadata: { name: 'web', namespace: 'test', resourceVersion: String(version) },
    spec: { maxReplicas },
    status: { currentReplicas },
  });
  void view.ready(scaler);
  list(measured(1, 1));
  bring(measured(2, 2));
  bring(measured(3, 3));
  expect(changes).toEqual(['HorizontalPodAutoscaler web']);
  expect(view.find(scaler)?.object.metadata.resourceVersion, 'a write goes out with the newest version').toBe('3');
  bring(measured(4, 3, 12));
  expect(changes).toHaveLength(2);
});

it('a wait for a first list that never comes ends with the view, and so does every later one', async () => {
  const { view } = aView();
  const waiting = expect(view.ready(ref)).rejects.toThrow('stopped');
  view.stop();
  await waiting;
  await expect(view.ready({ apiVersion: 'v1', kind: 'Secret' })).rejects.toThrow('stopped');
});

it('a listener that fails on one object leaves no one waiting for the list', async () => {
  const { view, list } = aView((name) => name === 'web');
  const ready = view.ready(ref);
  expect(() => list(service('web', 1, true), service('other', 2, true))).toThrow('cannot be handled');
  await expect(ready).resolves.toBeUndefined();
  expect(view.all(ref)).toHaveLength(2);
});

it.each([
  { apiVersion: 'apps/v1', kind: 'Deployment' },
  { apiVersion: 'flagger.app/v1beta1', kind: 'Canary' },
])('I15: only a few kilobytes of a $kind of 1.5 MB are kept', ({ apiVersion, kind }) => {
  const { view, bring } = aView();
  const long = 'x'.repeat(250_000);
  const env = Array.from({ length: 3_000 }, (_, index) => ({
    name: `V${index}`,
    valueFrom: { configMapKeyRef: { name: `flag-${index}`, key: 'x'.repeat(200), optional: true } },
  }));
  const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': long };
  const managedFields = [{ manager: 'kubectl', fieldsV1: { 'f:spec': { long } } }];
  const metadata = { name: 'web', namespace: 'test', resourceVersion: '2', annotations, managedFields };
  const pods = { template: { spec: { containers: [{ name: 'web', image: '1', env, args: [long] }] } } };
  void view.ready({ apiVersion, kind });
  bring({ apiVersion, kind, metadata, spec: kind === 'Deployment' ? pods : {} });
  const kept = view.find({ apiVersion, kind, name: 'web', namespace: 'test' });
  expect(kept?.object.metadata.name).toBe('web');
  expect(JSON.stringify(kept).length).toBeLessThan(20_000);
});

it.each([
  ['flagger.app/v1beta1', 'Canary'],
  ['flagger.app/v1beta1', 'MetricTemplate'],
  ['apps/v1', 'Deployment'],
])('I15: the view of a %s %s keeps neither the manifest that kubectl keeps nor the writers of fields', (apiVersion, kind) => {
  const { view, list } = aView();
  const kept = { apiVersion, kind, name: 'web', namespace: 'test' };
  void view.ready(kept);
  const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': 'x'.repeat(200_000), 'serin.dev/request': 'r' };
  const managedFields = [{ manager: 'kubectl', fieldsV1: { 'f:spec': 'x'.repeat(200_000) } }];
  const metadata = { name: 'web', namespace: 'test', resourceVersion: '1', annotations, managedFields } as KubeObject['metadata'];
  list({ apiVersion, kind, metadata, spec: { template: { spec: { containers: [] } } } });
  const seen = view.find(kept);
  expect(JSON.stringify(seen).length).toBeLessThan(1_000);
  expect(seen?.object.metadata.annotations).toEqual({ 'serin.dev/request': 'r' });
});

describe('an object of a kind whose first list is under way', () => {
  const { signal } = new AbortController();
  const gone = { ...ref, name: 'gone' };
  const reading = (answer: (name: string) => KubeObject | undefined) => {
    const names: string[] = [];
    const get = async ({ name }: { name: string }) => {
      names.push(name);
      return answer(name);
    };
    return { names, cluster: { get } };
  };
  const isReady = async (view: ClusterView, one: typeof ref) => {
    let is = false;
    void view.ready(one).then(() => {
      is = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    return is;
  };

  it('does not count as absent', () => {
    const { view, list } = aView();
    expect(() => view.find(ref)).toThrow(UnlistedError);
    expect(() => view.allIn(ref, 'test')).toThrow(UnlistedError);
    expect(() => view.survey({ ...ref, namespace: 'test' })).toThrow(UnlistedError);
    expect([view.isListed(ref), view.loading()]).toEqual([false, ['v1/Service']]);
    list();
    expect([view.find(ref), view.allIn(ref, 'test'), view.survey({ ...ref, namespace: 'test' })]).toEqual([undefined, [], []]);
    expect([view.isListed(ref), view.loading()]).toEqual([true, []]);
  });

  it('is known when it was read by name, and no other one is', async () => {
    const { view } = aView();
    const { names, cluster } = reading((name) => (name === 'web' ? service('web', 5, true) : undefined));
    await view.readAhead([ref, gone, { ...ref, name: '' }], cluster, signal);
    expect(names).toEqual(['web', 'gone']);
    expect(view.find(ref)?.object.metadata.resourceVersion).toBe('5');
    expect(() => view.find(gone)).toThrow(UnlistedError);
    expect(() => view.allIn(ref, 'test')).toThrow(UnlistedError);
    expect([await isReady(view, ref), await isReady(view, gone), await isReady(view, { ...ref, name: '' })]).toEqual([true, false, false]);
    await view.readAhead([ref], cluster, signal);
    expect(names, 'it is read once').toHaveLength(2);
  });

  it.each([
    { what: 'an older version of it', listAt: 4, items: [service('web', 3, false)], is: '5' },
    { what: 'a newer version of it', listAt: 9, items: [service('web', 7, false)], is: '7' },
    { what: 'nothing, since it is older', listAt: 4, items: [], is: '5' },
    { what: 'nothing, since it was deleted', listAt: 9, items: [], is: undefined },
  ])('is as its newest version says, though the list has $what', async ({ listAt: version, items, is }) => {
    const { view, listAt } = aView();
    await view.readAhead([ref], reading(() => service('web', 5, true)).cluster, signal);
    listAt(version, ...items);
    expect(view.find(ref)?.object.metadata.resourceVersion).toBe(is);
  });

  it('that was deleted before the list comes back neither with a late answer, nor is the answer waited for', async () => {
    const { view, listAt } = aView();
    const answer = Promise.withResolvers<KubeObject>();
    const read = view.readAhead([ref], { get: () => answer.promise }, signal);
    listAt(9);
    await read;
    answer.resolve(service('web', 5, true));
    await new Promise((resolve) => setImmediate(resolve));
    expect(view.find(ref)).toBeUndefined();
  });

  it('is waited for where it cannot be read by name; another failure is the reader’s', async () => {
    const { view, forbid } = aView();
    const failing = (status: number) => ({ get: () => Promise.reject(new ApiError('no', { status, reason: 'no' })) });
    await view.readAhead([ref], failing(403), signal);
    expect(await isReady(view, ref)).toBe(false);
    await expect(view.readAhead([ref], failing(500), signal)).rejects.toThrow('no');
    forbid();
    expect([view.find(ref), view.unavailable(ref)?.code]).toEqual([undefined, 'Forbidden']);
  });

  it('is read by name only if it is one of the first of its kind: a page of the list has as many', async () => {
    const { view } = aView();
    const { names, cluster } = reading((name) => service(name, 5, true));
    const refs = Array.from({ length: MOST_READ_AHEAD + 5 }, (_, index) => ({ ...ref, name: `web-${index}` }));
    await view.readAhead(refs, cluster, signal);
    expect(names).toHaveLength(MOST_READ_AHEAD);
  });

  it('is not read by name after the list', async () => {
    const { view, list } = aView();
    void view.ready(ref);
    list();
    const { names, cluster } = reading(() => undefined);
    await view.readAhead([ref, gone], cluster, signal);
    expect(names).toEqual([]);
  });
});

it('begins when Canaries and MetricTemplates are listed, and is listed with Deployments and Services', async () => {
  const synced = new Map<string, () => void>();
  const cluster: Pick<Cluster, 'watch'> = {
    watch({ kind }) {
      const { promise, resolve } = Promise.withResolvers<void>();
      synced.set(kind, resolve);
      return { synced: promise, ageMs: () => 0, restarts: 0, stop: () => undefined };
    },
  };
  const view = new ClusterView(new KindWatches(cluster, []), () => undefined);
  const ends: string[] = [];
  void view.start().then(() => ends.push('started'));
  void view.listed().then(() => ends.push('listed'));
  const listed = async (...kinds: string[]) => {
    for (const kind of kinds) synced.get(kind)?.();
    await new Promise((resolve) => setImmediate(resolve));
    return ends.splice(0);
  };
  expect([...synced.keys()]).toEqual(['Canary', 'MetricTemplate', 'Deployment', 'Service']);
  expect(await listed('Canary')).toEqual([]);
  expect(await listed('MetricTemplate')).toEqual(['started']);
  expect(await listed('Deployment')).toEqual([]);
  expect(await listed('Service')).toEqual(['listed']);
});
