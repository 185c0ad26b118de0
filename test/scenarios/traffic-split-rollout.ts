import { expect, it } from 'vitest';
import type { KubeObject, ObjectRef } from '../../src/api/kube-object.ts';
import { raw } from '../fakes/raw.ts';
import type { Environment } from './environment.ts';
import { eventually } from './eventually.ts';
import { until } from './until.ts';
import { ask, startUsers, type Users } from './users.ts';

const NAMESPACE = 'rollout';
/** Answers of many users: enough that a stray share would show, and that every proxy has answered. */
const MANY = 150;

/** The rollout that the SMI specification describes, done by hand: no controller takes part. */
export function describeRollout(environment: () => Environment): void {
  it('split 100/0 before v2 exists, v2, a third for v2, all for v2, v1 away, split away: no request strays and none is lost', async () => {
    const { cluster, mesh } = environment();
    const create = (object: KubeObject) => cluster.create({ ...object, metadata: { ...object.metadata, namespace: NAMESPACE } });
    const weigh = (weights: Record<string, number>) => cluster.patch(splitRef, { spec: { backends: backendsOf(weights) } });
    await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
    await create(deployment('1'));
    for (const service of [serviceOf('foobar', { app: 'foobar' }), serviceOf('foobar-v1', { app: 'foobar', version: 'v1' })])
      await create(service);
    await isAvailable(environment(), 'foobar-v1');
    const users = startUsers(mesh.urls, `foobar.${NAMESPACE}`, {}, { each: 4 });
    try {
      // Proxies learn late that an endpoint exists; answers before that do not count.
      await answersBecome(users, ['1']);
      const before = users.lost().length;

      await create(splitOf({ 'foobar-v1': 100, 'foobar-v2': 0 }));
      // The root selects both versions: v2 must not exist before every proxy knows the split.
      await everyProxyIsCurrent(environment());
      await create(deployment('2'));
      await create(serviceOf('foobar-v2', { app: 'foobar', version: 'v2' }));
      await isAvailable(environment(), 'foobar-v2');
      expect(await freshAnswers(users), 'v2 is there, with weight 0').toEqual(['1']);

      await weigh({ 'foobar-v1': 1000, 'foobar-v2': 500 });
      await answersBecome(users, ['1', '2']);

      await weigh({ 'foobar-v2': 1 });
      await answersBecome(users, ['2']);

      await cluster.delete({ apiVersion: 'apps/v1', kind: 'Deployment', name: 'foobar-v1', namespace: NAMESPACE });
      await cluster.delete({ apiVersion: 'v1', kind: 'Service', name: 'foobar-v1', namespace: NAMESPACE });
      expect(await freshAnswers(users), 'v1 is being deleted').toEqual(['2']);
      await cluster.delete(splitRef);
      expect(await freshAnswers(users), 'the split is away').toEqual(['2']);
      await eventually('every proxy knows it', () => mesh.pending() === 0);
      expect(await freshAnswers(users)).toEqual(['2']);
      expect(users.lost().slice(before)).toEqual([]);
    } finally {
      await users.stop();
    }
  });
}

const splitRef: ObjectRef = {
  apiVersion: 'split.smi-spec.io/v1alpha4',
  kind: 'TrafficSplit',
  name: 'foobar-rollout',
  namespace: NAMESPACE,
};

/** Versions that answer from now on, over many requests. */
async function freshAnswers(users: Users): Promise<string[]> {
  users.forget();
  await users.pace(MANY);
  return Object.keys(users.byVersion()).toSorted();
}

async function answersBecome(users: Users, versions: readonly string[]): Promise<void> {
  const isSo = (seen: string[]) => seen.join() === versions.join();
  await eventually(`versions ${versions.join(' and ')} answer`, () => freshAnswers(users), isSo);
}

/** Proxies hear of splits in the order in which they were made: who answers for a later one knows the earlier ones. */
async function everyProxyIsCurrent({ cluster, mesh }: Environment): Promise<void> {
  const { apiVersion, kind } = splitRef;
  const spec = { service: 'marker', backends: backendsOf({ 'foobar-v1': 1 }) };
  await cluster.create({ apiVersion, kind, metadata: { name: 'marker', namespace: NAMESPACE }, spec });
  const statuses = async () => (await Promise.all(mesh.urls.map((url) => ask(url, `marker.${NAMESPACE}`)))).map(({ status }) => status);
  await eventually('every proxy routes by the later split', statuses, (all) => all.every((status) => status === 200));
}

async function isAvailable({ cluster }: Environment, name: string): Promise<void> {
  await until(
    cluster,
    { apiVersion: 'apps/v1', kind: 'Deployment', name, namespace: NAMESPACE },
    'is available',
    (now) => raw(now)?.status?.availableReplicas === 2,
  );
}

function deployment(version: string): KubeObject {
  const labels = { app: 'foobar', version: `v${version}` };
  const containers = [{ name: 'web', image: `foobar:${version}`, ports: [{ name: 'http', containerPort: 8080 }] }];
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: `foobar-v${version}` },
    spec: { replicas: 2, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } },
  };
}

function serviceOf(name: string, selector: Record<string, string>): KubeObject {
  const ports = [{ name: 'http', port: 80, targetPort: 'http' }];
  return { apiVersion: 'v1', kind: 'Service', metadata: { name }, spec: { selector, ports } };
}

const backendsOf = (weights: Record<string, number>) => Object.entries(weights).map(([service, weight]) => ({ service, weight }));

function splitOf(weights: Record<string, number>): KubeObject {
  const { apiVersion, kind, name } = splitRef;
  return { apiVersion, kind, metadata: { name }, spec: { service: 'foobar', backends: backendsOf(weights) } };
}
