import { expect, it } from 'vitest';
import { aCanary } from '../../../test/fakes/world.ts';
import type { Cluster } from '../../kube/cluster.ts';
import { routers } from '../../routers/index.ts';
import { ControllerConfig } from '../config.ts';
import { ClusterView } from '../watch/cluster-view.ts';
import { KindWatches } from '../watch/kind-watches.ts';
import { gatherFacts, intervalMs, primaryRefOf, targetRefOf } from './gather-facts.ts';

/** A view of a cluster that holds nothing. */
async function emptyView(): Promise<ClusterView> {
  const none = () => Promise.reject(new Error('facts make no request'));
  const cluster: Cluster = {
    ...{ get: none, list: none, create: none, replace: none, apply: none, patch: none, delete: none, settled: none },
    watch(_, handler) {
      queueMicrotask(() => handler.onList([]));
      return { synced: Promise.resolve(), ageMs: () => 0, restarts: 0, stop: () => undefined };
    },
    close: () => undefined,
  };
  const view = new ClusterView(new KindWatches(cluster, []), () => undefined);
  await view.start();
  return view;
}

it('a target of a kind that cannot be released has no sides, and counts as its own primary', async () => {
  const canary = aCanary();
  const targetRef = { ...canary.spec.targetRef, apiVersion: 'apps.example.com/v1' };
  const unsupported = { ...canary, spec: { ...canary.spec, targetRef } };
  const facts = gatherFacts({
    ...{
      canary: unsupported,
      provider: 'kubernetes',
      router: routers.kubernetes,
      view: await emptyView(),
      config: ControllerConfig.parse({}),
    },
    ...{ nowMs: 0, converged: true, cookieWord: 'word' },
  });
  expect(facts).toMatchObject({ canary: unsupported, provider: 'kubernetes' });
  expect([facts.target, facts.primary]).toEqual([undefined, undefined]);
  const ref = { ...targetRef, namespace: canary.metadata.namespace };
  expect([targetRefOf(unsupported), primaryRefOf(unsupported)]).toEqual([ref, ref]);
});

it.each([
  { interval: '20s', is: 20_000 },
  { interval: '5s', is: 10_000 },
  { interval: '0s', is: 10_000 },
  { interval: 'soon', is: 60_000 },
])('checks of an interval of $interval are $is ms apart', ({ interval, is }) => {
  expect(intervalMs(aCanary({ interval }), { minAnalysisIntervalMs: 10_000 })).toBe(is);
});
