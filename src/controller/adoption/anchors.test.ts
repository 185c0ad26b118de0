import { describe, expect, it } from 'vitest';
import { parsedCanary } from '../../../test/fakes/parsed-canary.ts';
import type { Canary } from '../../api/canary.ts';
import { type KubeObject, type ObjectRef, refKey, refOf } from '../../api/kube-object.ts';
import type { Cluster } from '../../kube/cluster.ts';
import { ApiError } from '../../kube/errors.ts';
import { renderAnchor } from '../../workloads/anchor.ts';
import { NameTakenError } from '../errors.ts';
import { Anchors, MOST_ORPHANS } from './anchors.ts';

const signal = new AbortController().signal;

function canaryOf(namespace: string, name: string, apiVersion = 'apps/v1'): Canary {
  return parsedCanary({ targetRef: { apiVersion, kind: 'Deployment', name } }, { name, namespace, uid: `uid-${name}` });
}

function anAnchor(namespace: string, name: string): KubeObject {
  const { metadata, spec } = canaryOf(namespace, name);
  const canary = { apiVersion: 'flagger.app/v1beta1', kind: 'Canary', metadata, spec } as const;
  return renderAnchor(canary, { target: { replicas: 1 }, canary: { metadata: { name, namespace, uid: metadata.uid }, spec } });
}

/** The start of a controller among these anchors. `read`: the anchors that were read whole. */
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

describe('the anchor of a new Canary', () => {
  const canary = canaryOf('test', 'app');
  const target = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'app', namespace: 'test' }, spec: { replicas: 3 } };

  /** A cluster with these objects, and the requests to it. */
  function asked(objects: readonly KubeObject[]) {
    const stored = new Map(objects.map((object) => [refKey(refOf(object)), object]));
    const requests: string[] = [];
    const note = (verb: string, { kind, name }: Pick<ObjectRef, 'kind' | 'name'>) => void requests.push(`${verb} ${kind} ${name}`);
    const keep = (object: KubeObject): KubeObject => {
      const kept = { ...object, metadata: { ...object.metadata, uid: `of ${object.metadata.name}` } };
      stored.set(refKey(refOf(object)), kept);
      return kept;
    };
    const cluster = {
      async get(ref: ObjectRef) {
        note('get', ref);
        return stored.get(refKey(ref));
      },
      async list({ kind }: ObjectRef) {
        note('list', { kind, name: '' });
        return { items: [...stored.values()].filter((object) => object.kind === kind) };
      },
      async create(object: KubeObject) {
        note('create', refOf(object));
        if (stored.has(refKey(refOf(object)))) throw new ApiError('it exists', { status: 409, reason: 'AlreadyExists' });
        return keep(object);
      },
      async apply(object: KubeObject) {
        note('apply', { kind: object.kind, name: 'a record' });
        return keep(object);
      },
    } as unknown as Cluster;
    const anchors = new Anchors(cluster, 3, { warn: () => undefined });
    const made = () => [...stored.values()].flatMap((object) => anchors.read(object) ?? []);
    return { anchors, requests, made };
  }

  it.each([
    { what: 'its pods', group: 'apps/v1', replicas: 3 },
    { what: 'one pod where it is of a kind that Serin does not know', group: 'example.org/v1', replicas: 1 },
  ])('remembers of the target $what', async ({ group, replicas }) => {
    const { anchors, made } = asked([]);
    await anchors.reference(canaryOf('test', 'app', group), signal, async () => ({ ...target, apiVersion: group }));
    expect(made().map((anchor) => anchor.target)).toEqual([{ replicas }]);
  });

  it('is made without being read first, and has no records until one is kept', async () => {
    const { anchors, requests } = asked([target]);
    const made = await anchors.reference(canary, signal, async () => target);
    expect(made).toEqual({ name: 'app-serin-anchor', uid: 'of app-serin-anchor' });
    expect([await anchors.reference(canary, signal), await anchors.templates.records(canary, signal)]).toEqual([made, []]);
    expect(requests).toEqual(['get Service app', 'create ControllerRevision app-serin-anchor']);
    await anchors.templates.keep(canary, { template: { spec: { containers: [] } } }, 'one', { records: [], signal });
    expect((await anchors.templates.promotions(canary, signal)).map(({ revision }) => revision)).toEqual(['one']);
    expect(requests.slice(2)).toEqual(['apply ControllerRevision a record', 'list ControllerRevision ']);
  });

  it('is the anchor that was made before a crash, and its records are listed', async () => {
    const before = { ...anAnchor('test', 'app'), metadata: { ...anAnchor('test', 'app').metadata, uid: 'before' } };
    const { anchors, requests } = asked([target, before]);
    expect(await anchors.reference(canary, signal)).toEqual({ name: 'app-serin-anchor', uid: 'before' });
    expect(await anchors.templates.records(canary, signal)).toHaveLength(1);
    expect(requests.at(-1)).toBe('list ControllerRevision ');
  });

  it('is not another owner’s object of that name', async () => {
    const other = { apiVersion: 'apps/v1', kind: 'ControllerRevision', metadata: { name: 'app-serin-anchor', namespace: 'test' } };
    await expect(asked([target, other]).anchors.reference(canary, signal)).rejects.toThrow(NameTakenError);
  });

  it('is looked for, and not made again, where something was promoted', async () => {
    const status = { phase: 'Succeeded', failedChecks: 0, canaryWeight: 0, iterations: 0, release: { promotedRevision: 'one' } };
    const { anchors, requests } = asked([target, anAnchor('test', 'app')]);
    await anchors.reference({ ...canary, status: status as unknown as NonNullable<Canary['status']> }, signal);
    expect(requests).toEqual(['get ControllerRevision app-serin-anchor']);
  });

  it.each([
    { phase: 'Initializing', step: 'creatingPrimary', priority: 'initialization' },
    { phase: 'Progressing', step: 'analysing', priority: 'release' },
    { phase: 'Failed', step: 'restoringPrimary', priority: 'rollback' },
  ])('is read with the urgency of its Canary: $phase is $priority', async ({ phase, step, priority }) => {
    const used: string[] = [];
    const answering = { get: async () => anAnchor('test', 'app'), list: async () => ({ items: [] }) };
    const cluster = {
      ...answering,
      at(asked: string) {
        used.push(asked);
        return answering;
      },
    } as unknown as Cluster;
    const status = { phase, failedChecks: 0, canaryWeight: 0, iterations: 0, release: { step, promotedRevision: 'one' } };
    const anchors = new Anchors(cluster, 3, { warn: () => undefined });
    await anchors.templates.promotions({ ...canary, status: status as unknown as NonNullable<Canary['status']> }, signal);
    expect(used).toEqual([priority, priority]);
  });
});

it('with an anchor the records of its Canary are forgotten, since another Serin could make some', async () => {
  const cluster = { get: async () => anAnchor('test', 'app'), list: async () => ({ items: [] }), apply: async () => undefined };
  const anchors = new Anchors(cluster as unknown as Cluster, 3, { warn: () => undefined });
  const canary = canaryOf('test', 'app');
  await anchors.templates.keep(canary, { template: { spec: { containers: [] } } }, 'one', { signal });
  expect(anchors.templates.hasRoomAfter(canary, 'one')).toBe(true);
  anchors.forget(canary);
  expect(anchors.templates.hasRoomAfter(canary, 'one')).toBe(false);
});
