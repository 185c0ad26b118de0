import { describe, expect, it } from 'vitest';
import { Canary } from '../../api/canary.ts';
import { type KubeObject, type ObjectRef, refKey, refOf } from '../../api/kube-object.ts';
import type { Cluster } from '../../kube/cluster.ts';
import { readTemplateRevision, renderAnchor } from '../../workloads/anchor.ts';
import { Anchors, MOST_ORPHANS } from './anchors.ts';

const signal = new AbortController().signal;

function canaryOf(namespace: string, name: string): Canary {
  return Canary.parse({
    apiVersion: 'flagger.app/v1beta1',
    kind: 'Canary',
    metadata: { name, namespace, uid: `uid-${name}`, generation: 1, resourceVersion: '1' },
    spec: {
      targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name },
      analysis: { interval: '10s', threshold: 1 },
      service: { port: 80 },
    },
  });
}

function anAnchor(namespace: string, name: string): KubeObject {
  const { metadata, spec } = canaryOf(namespace, name);
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

describe('records of promoted templates', () => {
  const canary = canaryOf('test', 'app');
  const templateOf = (image: string) => ({ template: { spec: { containers: [{ name: 'app', image }] } } });

  /** A cluster that keeps what is applied, and counts how often it is listed. */
  function keeping() {
    const stored = new Map<string, KubeObject>();
    let lists = 0;
    let failure: Error | undefined;
    const cluster = {
      get: async () => anAnchor('test', 'app'),
      list: async () => {
        lists += 1;
        return { items: [...stored.values()] };
      },
      apply: async (object: KubeObject) => {
        if (failure) throw failure;
        stored.set(object.metadata.name, object);
        return object;
      },
      delete: async ({ name }: ObjectRef) => void stored.delete(name),
    } as unknown as Cluster;
    const revisions = () => [...stored.values()].map((record) => [record.revision, readTemplateRevision(record)?.revision]);
    return {
      anchors: new Anchors(cluster, 3, { warn: () => undefined }),
      revisions,
      lists: () => lists,
      failWith(error: Error | undefined) {
        failure = error;
      },
    };
  }

  it('are read once by a process, as long as none has to go', async () => {
    const { anchors, revisions, lists } = keeping();
    await anchors.keepTemplate(canary, templateOf('1'), 'one', { signal });
    expect([lists(), anchors.hasRoomAfter(canary, 'one'), anchors.hasRoomAfter(canary, 'other')]).toEqual([1, true, false]);
    await anchors.keepTemplate(canary, templateOf('2'), 'two', { records: 'unneeded', signal });
    await anchors.keepTemplate(canary, templateOf('3'), 'three', { records: 'unneeded', signal });
    expect([lists(), revisions()]).toEqual([
      1,
      [
        [1, 'one'],
        [2, 'two'],
        [3, 'three'],
      ],
    ]);
    expect(anchors.hasRoomAfter(canary, 'three')).toBe(false);
    await anchors.keepTemplate(canary, templateOf('4'), 'four', { signal });
    expect([lists(), revisions()]).toEqual([
      2,
      [
        [2, 'two'],
        [3, 'three'],
        [4, 'four'],
      ],
    ]);
  });

  it('are read where this process has made none, or knows not what became of its last one', async () => {
    const { anchors, lists, failWith } = keeping();
    await anchors.keepTemplate(canary, templateOf('1'), 'one', { records: 'unneeded', signal });
    expect(lists()).toBe(1);
    failWith(new Error('no answer'));
    await expect(anchors.keepTemplate(canary, templateOf('2'), 'two', { records: 'unneeded', signal })).rejects.toThrow('no answer');
    expect(anchors.hasRoomAfter(canary, 'one')).toBe(false);
    failWith(undefined);
    await anchors.keepTemplate(canary, templateOf('2'), 'two', { signal });
    expect(anchors.hasRoomAfter(canary, 'two')).toBe(true);
    anchors.forget(canary);
    expect(anchors.hasRoomAfter(canary, 'two')).toBe(false);
  });
});
