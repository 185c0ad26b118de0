import { expect, it } from 'vitest';
import { Canary } from '../../api/canary.ts';
import { type KubeObject, type ObjectRef, refKey, refOf } from '../../api/kube-object.ts';
import type { Cluster } from '../../kube/cluster.ts';
import { renderAnchor } from '../../workloads/anchor.ts';
import { Anchors, MOST_ORPHANS } from './anchors.ts';

const signal = new AbortController().signal;

function anAnchor(namespace: string, name: string): KubeObject {
  const { metadata, spec } = Canary.parse({
    apiVersion: 'flagger.app/v1beta1',
    kind: 'Canary',
    metadata: { name, namespace, uid: `uid-${name}`, generation: 1, resourceVersion: '1' },
    spec: {
      targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name },
      analysis: { interval: '10s', threshold: 1 },
      service: { port: 80 },
    },
  });
  const canary = { apiVersion: 'flagger.app/v1beta1', kind: 'Canary', metadata, spec } as const;
  return renderAnchor(canary, { target: { replicas: 1 }, canary: { metadata: { name, namespace, uid: metadata.uid }, spec } });
}

/** The start of a controller among these anchors; `read`: those that were read whole. */
async function started(anchors: readonly KubeObject[], isAlive: (ref: { name: string; uid: string }) => boolean) {
  const read: string[] = [];
  const logged: object[] = [];
  const cluster = {
    list: async (_: object, { metadataOnly = false }: { metadataOnly?: boolean }) => ({
      items: anchors.map(({ apiVersion, kind, metadata, ...rest }) => ({ apiVersion, kind, metadata, ...(metadataOnly ? {} : rest) })),
    }),
    get: async (ref: ObjectRef) => {
      read.push(`${ref.namespace}/${ref.name}`);
      return anchors.find((one) => refKey(refOf(one)) === refKey(ref));
    },
  } as unknown as Cluster;
  const all = new Anchors(cluster, 1, { warn: (fields) => logged.push(fields) });
  const found = await all.orphans({ isRunning: ({ metadata }) => isAlive(metadata), isInherited: () => false }, [], signal);
  return { read, logged, orphans: found.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`) };
}

it('at the start only the anchors without a Canary are read whole', async () => {
  const { read, orphans } = await started([anAnchor('test', 'lives'), anAnchor('test', 'gone')], ({ name }) => name === 'lives');
  expect([read, orphans]).toEqual([['test/gone-serin-anchor'], ['test/gone']]);
});

it('a tenant with any number of anchors delays no start, and keeps no other application from being restored', async () => {
  const flood = Array.from({ length: 10 * MOST_ORPHANS }, (_, nth) => anAnchor('hostile', `app-${nth}`));
  const { read, orphans, logged } = await started([...flood, anAnchor('test', 'gone')], () => false);
  expect([read.length, orphans.length, orphans.at(-1)]).toEqual([MOST_ORPHANS + 1, MOST_ORPHANS + 1, 'test/gone']);
  expect(logged).toEqual([{ namespace: 'hostile', anchors: 10 * MOST_ORPHANS }]);
});
