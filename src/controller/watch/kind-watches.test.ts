import { expect, it } from 'vitest';
import type { KubeObject } from '../../api/kube-object.ts';
import type { WatchHandler } from '../../kube/cluster.ts';
import { ClusterView } from './cluster-view.ts';
import { KindWatches } from './kind-watches.ts';

const CANARY = { apiVersion: 'flagger.app/v1beta1', kind: 'Canary' };
const canary = (version: number): KubeObject => ({
  ...CANARY,
  metadata: { name: 'podinfo', namespace: 'test', resourceVersion: String(version) },
});

function given() {
  const watches: { kind: string; handler: WatchHandler; hear(): void; isStopped: boolean }[] = [];
  const kinds = new KindWatches(
    {
      watch({ kind }, handler) {
        const synced = Promise.withResolvers<void>();
        const watch = { kind, handler, hear: () => synced.resolve(), isStopped: false };
        watches.push(watch);
        return {
          ...{ synced: synced.promise, ageMs: () => 0, restarts: 0 },
          stop: () => {
            watch.isStopped = true;
          },
        };
      },
    },
    [],
  );
  const list = (version: number, index = -1) => {
    const watch = watches.filter(({ kind }) => kind === 'Canary').at(index);
    watch?.handler.onList([canary(version)]);
    watch?.hear();
  };
  const hearAll = () => {
    for (const { hear } of watches) hear();
  };
  const versionIn = (view: ClusterView) => view.find({ ...CANARY, namespace: 'test', name: 'podinfo' })?.object.metadata.resourceVersion;
  return { kinds, watches, list, hearAll, versionIn };
}

it('I9: a second view shares the watches, and starts with Canaries that were listed after it began', async () => {
  const { kinds, watches, list, hearAll, versionIn } = given();
  const first = new ClusterView(kinds, () => undefined);
  const started = first.start();
  list(1);
  hearAll();
  await started;
  const opened = watches.length;

  const changes: string[] = [];
  const second = new ClusterView(kinds, ({ name }) => void changes.push(name));
  let isReady = false;
  const ready = second.start().then(() => {
    isReady = true;
  });
  expect(watches.slice(opened).map(({ kind }) => kind)).toEqual(['Canary']);
  await new Promise((resolve) => setImmediate(resolve));
  expect(isReady, 'it knows only what the first one knew').toBe(false);
  list(7);
  await ready;
  expect([versionIn(first), versionIn(second), changes]).toEqual(['7', '7', ['podinfo']]);
  expect(watches.filter(({ kind }) => kind === 'Canary').map(({ isStopped }) => isStopped)).toEqual([true, false]);
});

it('the watches end with the last view, and a later view has watches of its own', async () => {
  const { kinds, watches, list, hearAll } = given();
  const [first, second] = [new ClusterView(kinds, () => undefined), new ClusterView(kinds, () => undefined)];
  const started = first.start();
  list(1);
  hearAll();
  await started;
  const pending = second.start(); // its LIST has no answer yet
  pending.catch(() => undefined);
  first.stop();
  expect(watches.every(({ isStopped }) => !isStopped)).toBe(true);
  second.stop();
  expect(watches.every(({ isStopped }) => isStopped)).toBe(true);
  await expect(pending).rejects.toThrow('is stopped');
  await expect(second.ready(CANARY)).rejects.toThrow('is stopped');
  const before = watches.length;
  const third = new ClusterView(kinds, () => undefined);
  void third.start();
  expect(watches.length - before).toBe(4);
  third.stop();
});

it('a view that fails to handle a change keeps it from no other one', async () => {
  const { kinds, list } = given();
  const failing = new ClusterView(kinds, () => {
    throw new Error('cannot be handled');
  });
  const changes: string[] = [];
  const other = new ClusterView(kinds, ({ name }) => void changes.push(name));
  void failing.start();
  expect(() => list(1)).toThrow('cannot be handled');
  expect(changes).toEqual(['podinfo']);
  failing.stop();
  other.stop();
});

/** The versions of one Deployment that the watch has shown. */
function deploymentsSeen() {
  const { kinds, watches } = given();
  const view = new ClusterView(kinds, () => undefined);
  void view.start();
  let version = 0;
  const deployment = (
    generation: number,
    image: string,
    { uid = 'one', ...spec }: { uid?: string; replicas?: number } = {},
  ): KubeObject => {
    version += 1;
    return {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'podinfo', namespace: 'test', uid, generation, resourceVersion: String(version) },
      spec: { ...spec, template: { spec: { containers: [{ name: 'web', image }] } } },
    };
  };
  const handler = watches.find(({ kind }) => kind === 'Deployment')?.handler;
  const seen = (object: KubeObject) => {
    handler?.onEvent({ type: 'MODIFIED', object });
    return view.find({ apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'test', name: 'podinfo' });
  };
  return { handler, deployment, seen };
}

it('knows the generation in which the images of a pod template have changed', () => {
  const { handler, deployment, seen } = deploymentsSeen();
  const changedIn = (object: KubeObject) => seen(object)?.imagesChangedIn;
  handler?.onList([deployment(7, 'web:1')]);
  expect(changedIn(deployment(8, 'web:1', { replicas: 3 }))).toBeUndefined();
  expect(changedIn(deployment(9, 'web:2'))).toBe(9);
  expect(changedIn(deployment(9, 'web:2'))).toBe(9);
  expect(changedIn(deployment(10, 'web:2', { replicas: 0 }))).toBe(9);
  handler?.onList([deployment(11, 'web:1')]);
  expect(changedIn(deployment(11, 'web:1'))).toBe(11);
  expect(changedIn(deployment(1, 'web:3', { uid: 'two' }))).toBeUndefined();
});

it('knows since which generation the replicas are 0, as long as it has seen each one', () => {
  const { handler, deployment, seen } = deploymentsSeen();
  const zeroSince = (generation: number, replicas: number, uid = 'one') =>
    seen(deployment(generation, `web:${generation}`, { replicas, uid }))?.zeroSince;
  handler?.onList([deployment(7, 'web:7', { replicas: 0 })]);
  expect(zeroSince(8, 0)).toBe(7);
  expect(zeroSince(8, 0)).toBe(7);
  expect(zeroSince(9, 2)).toBeUndefined();
  expect(zeroSince(10, 0)).toBe(10);
  expect(zeroSince(11, 0)).toBe(10);
  // Generation 12 was not shown: its replicas might have been above 0.
  expect(zeroSince(13, 0)).toBe(13);
  expect(zeroSince(14, 0, 'two')).toBe(14);
});

it('a watch of a kind that is missing or forbidden has no age until it is open, and ends when no view wants it', () => {
  const { kinds, watches } = given();
  const wanted = new Set(['HTTPProxy']);
  const [first, second] = [true, false].map(
    (isWanting) =>
      new ClusterView(
        kinds,
        () => undefined,
        ({ kind }) => isWanting && wanted.has(kind),
      ),
  );
  const proxies = { apiVersion: 'projectcontour.io/v1', kind: 'HTTPProxy' };
  const ages = () => kinds.watches().map(({ kind }) => kind);
  expect(first?.all(proxies)).toEqual([]);
  expect(ages()).toEqual(['projectcontour.io/v1/HTTPProxy']);
  const [watch] = watches;
  watch?.handler.onUnavailable?.('absent', 'not served');
  expect(ages()).toEqual([]);
  watch?.handler.onList([]);
  expect(ages()).toHaveLength(1);
  watch?.handler.onUnavailable?.('forbidden', 'may not list');
  expect(ages()).toEqual([]);
  second?.close([proxies]);
  expect(watch?.isStopped).toBe(false);
  wanted.clear();
  second?.close([proxies]);
  expect([watch?.isStopped, kinds.isOpen(proxies)]).toEqual([true, false]);
  // Watches that every Canary needs stay open.
  expect(first?.all(CANARY)).toEqual([]);
  first?.close([CANARY]);
  expect(kinds.isOpen(CANARY)).toBe(true);
});

it.each(['absent', 'forbidden'] as const)(
  'a kind of companions that is %s is not looked for by a timer, but again when a Canary is looked at later',
  async (cause) => {
    const { kinds, watches } = given();
    const changes: string[] = [];
    const view = new ClusterView(kinds, ({ kind, name }) => void changes.push(`${kind} ${name}`));
    const budgets = { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget' };
    const ready = view.ready(budgets);
    watches[0]?.handler.onUnavailable?.(cause, 'no');
    await ready;
    // No one is woken: most clusters lack one of these kinds for ever.
    expect([watches[0]?.isStopped, view.unavailable(budgets)?.code, changes]).toEqual([
      true,
      cause === 'absent' ? 'KindNotFound' : 'Forbidden',
      [],
    ]);
    for (const nowMs of [1_000, 2_000, 600_999]) view.lookAgain([budgets], nowMs);
    expect(watches.length).toBe(1);
    view.lookAgain([budgets], 601_000);
    const again = view.ready(budgets);
    expect([view.isListed(budgets), watches.length]).toEqual([false, 2]);
    watches[1]?.handler.onList([{ ...budgets, metadata: { name: 'shop', namespace: 'test', resourceVersion: '1' } }]);
    await again;
    expect([view.allIn(budgets, 'test').length, view.unavailable(budgets), changes]).toEqual([1, undefined, ['PodDisruptionBudget shop']]);
    // A right that is taken away is news.
    watches[1]?.handler.onUnavailable?.('forbidden', 'no');
    expect(changes.at(-1)).toBe('PodDisruptionBudget ');
  },
);
