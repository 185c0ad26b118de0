import { expect, it } from 'vitest';
import { handClock } from '../../../test/fakes/clock.ts';
import { HeldCluster } from '../../../test/fakes/held-cluster.ts';
import { raw } from '../../../test/fakes/raw.ts';
import { aCanary, initialized } from '../../../test/fakes/world.ts';
import { writeKeptPrimary } from '../../api/kept-primary.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { keptAnnotation } from '../../api/names.ts';
import { recordLabel } from '../../workloads/anchor.ts';
import { CanaryFeed } from '../canary-feed.ts';
import { canaryRow, watchKeptRows } from './canary-row.ts';
import { clusterViews } from './cluster-views.ts';

const canary: KubeObject = JSON.parse(JSON.stringify(initialized(aCanary({ stepWeight: 25 })).canary));
const anchorOf = (namespace: string): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'ControllerRevision',
  metadata: {
    ...{ namespace, name: 'shop-serin-anchor', labels: { [recordLabel]: 'anchor' } },
    annotations: {
      [keptAnnotation]: writeKeptPrimary({
        ...{ primary: 'Deployment/shop-primary', target: 'Deployment/shop', promoted: 's1:a', unpromoted: 's1:b' },
        ...{ since: '2026-01-02T03:04:05Z', next: 'push a change of it' },
      }),
    },
  },
});

function aFeed({ namespaces = [] }: { namespaces?: readonly string[] } = {}) {
  const clock = handClock();
  const cluster = new HeldCluster([canary, anchorOf('test'), anchorOf('other')]);
  const feed = new CanaryFeed(cluster, { namespaces, rowOf: canaryRow, watchKept: watchKeptRows(cluster), clock });
  const shown = () => feed.list().data.rows.map(({ namespace, name, phase }) => `${namespace}/${name} ${phase}`);
  return { clock, cluster, feed, shown };
}

it('I19: the list has a row of each primary that is kept while someone looks, and watches nothing before and after that', () => {
  const { clock, cluster, feed, shown } = aFeed();
  expect(cluster.watches).toBe(0);
  const leave = feed.onChange(() => undefined);
  expect(shown().toSorted()).toEqual(['other/shop deleted, primary kept', 'test/podinfo Initialized', 'test/shop deleted, primary kept']);
  const { metadata, ...rest } = anchorOf('test');
  cluster.put({ ...rest, metadata: { ...metadata, annotations: {} } });
  expect(shown()).not.toContain('test/shop deleted, primary kept');
  expect(cluster.watches).toBe(2);
  leave();
  clock.advance(29_000);
  expect(cluster.watches).toBe(2);
  clock.advance(2_000);
  expect(cluster.watches).toBe(0);
  expect(shown()).toEqual([]);
});

it('I19: a controller that watches the Canaries itself watches kept primaries only while a viewer is connected', () => {
  const { clock, cluster, feed, shown } = aFeed();
  const own = feed.tap(raw(cluster));
  const handler = { onList: () => undefined, onEvent: () => undefined };
  own.watch({ apiVersion: 'flagger.app/v1beta1', kind: 'Canary' }, handler);
  expect([cluster.watches, shown()]).toEqual([1, ['test/podinfo Initialized']]);
  const leave = feed.onChange(() => undefined);
  expect([cluster.watches, shown().length]).toEqual([2, 3]);
  leave();
  clock.advance(31_000);
  expect([cluster.watches, shown()]).toEqual([1, ['test/podinfo Initialized']]);
});

it('with namespaces, only their kept primaries', () => {
  const { feed, shown } = aFeed({ namespaces: ['test'] });
  feed.onChange(() => undefined);
  expect(shown().toSorted()).toEqual(['test/podinfo Initialized', 'test/shop deleted, primary kept']);
});

it('the row describes the kept primary, and the remedies', () => {
  const { feed } = aFeed({ namespaces: ['other'] });
  feed.onChange(() => undefined);
  expect(feed.list().data.rows).toMatchObject([
    {
      ...{ target: { kind: 'Deployment', name: 'shop' }, traffic: { primary: 100, canary: 0 }, since: '2026-01-02T03:04:05Z' },
      ...{ promotedRevision: 's1:a', revision: 's1:b' },
      message: expect.stringMatching(/^Canary other\/shop was deleted while .* keeps serving; push a change of it$/),
    },
  ]);
});

it('the page of the row says the same, and not that the Canary was not found', async () => {
  const { cluster } = aFeed();
  const said = await new Promise<{ status: number; message: string }>((resolve, reject) => {
    clusterViews({ cluster: raw(cluster), namespace: undefined }, 'istio').follow({ namespace: 'test', name: 'shop' }, reject, resolve);
  });
  expect(said).toMatchObject({ status: 404, message: expect.stringMatching(/^Canary test\/shop was deleted while .* keeps serving/) });
});
