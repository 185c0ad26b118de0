import { describe, expect, it } from 'vitest';
import { raw } from '../../test/fakes/raw.ts';
import { eventuallyHolds } from '../../test/scenarios/eventually.ts';
import { afterAll, beforeAll, enterVirtual, fetchText, playTests, sleep, world } from '../../test/scenarios/world.ts';
import type { KubeObject, ObjectRef } from '../api/kube-object.ts';
import { type EmbeddedCluster, startEmbeddedCluster } from './cluster.ts';

let embedded: EmbeddedCluster;
enterVirtual(3);
playTests();
beforeAll(async () => {
  // Pods that leave serve on for 3 s: proxies hear of it up to 300 ms later.
  embedded = await startEmbeddedCluster({ world: world(), mesh: { lagMs: [20, 300], seed: 3 }, nodes: { graceScale: 0.1 } });
});
afterAll(() => embedded.stop());

const refTo = (name: string): ObjectRef => ({ apiVersion: 'apps/v1', kind: 'Deployment', name, namespace: 'default' });
const container = (image: string, env: object[] = []) => ({
  name: 'app',
  image,
  env,
  ports: [{ name: 'http', containerPort: 8080 }],
  readinessProbe: { httpGet: { path: '/readyz', port: 'http' }, periodSeconds: 1 },
});
async function deploy(name: string, spec: object = {}): Promise<void> {
  const labels = { app: name };
  const template = { metadata: { labels }, spec: { containers: [container('shop/app:1')] } };
  const { apiVersion, kind, namespace = '' } = refTo(name);
  await embedded.cluster.create({
    apiVersion,
    kind,
    metadata: { name, namespace },
    spec: { replicas: 3, selector: { matchLabels: labels }, template, ...spec },
  });
  const ports = [{ name: 'http', port: 80, targetPort: 'http' }];
  await embedded.cluster.create({ apiVersion: 'v1', kind: 'Service', metadata: { name, namespace }, spec: { selector: labels, ports } });
  await settled(name);
}
async function settled(name: string): Promise<KubeObject | undefined> {
  let found: KubeObject | undefined;
  await eventuallyHolds(async () => {
    found = await embedded.cluster.get(refTo(name));
    const { replicas } = raw(found)?.spec ?? {};
    expect(found?.status).toMatchObject({
      observedGeneration: found?.metadata.generation,
      replicas,
      updatedReplicas: replicas,
      availableReplicas: replicas,
    });
  });
  return found;
}
const release = (name: string, image: string, env: object[] = []) =>
  embedded.cluster.patch(refTo(name), { spec: { template: { spec: { containers: [container(image, env)] } } } });

describe('the embedded cluster', () => {
  it('rolls a new version out without a failed request, through proxies that lag', async () => {
    await deploy('roll', { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } });
    await eventuallyHolds(() => expect(embedded.mesh.pending()).toBe(0));
    const failures: string[] = [];
    const versions = new Set<string>();
    let isOver = false;
    const client = async (url: string): Promise<void> => {
      while (!isOver) {
        const { status, text } = await fetchText(url, { headers: { 'x-serin-host': 'roll.default' } });
        if (status === 200) versions.add((JSON.parse(text) as { version: string }).version);
        else failures.push(text);
        await sleep(10);
      }
    };
    const clients = embedded.mesh.urls.map(client);
    let least = 3;
    const watch = embedded.cluster.watch(
      { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'default' },
      {
        onEvent: ({ object }) => {
          if (object.metadata.name === 'roll') least = Math.min(least, raw(object).status?.availableReplicas ?? 0);
        },
        onList: () => undefined,
      },
    );
    await watch.synced;
    await release('roll', 'shop/app:2');
    const done = await settled('roll');
    await eventuallyHolds(async () => {
      const { items } = await embedded.cluster.list({ apiVersion: 'v1', kind: 'Pod', namespace: 'default' }, { labelSelector: 'app=roll' });
      expect(items).toHaveLength(3);
      expect(embedded.mesh.pending()).toBe(0);
    });
    isOver = true;
    await Promise.all(clients);
    watch.stop();
    expect(failures).toEqual([]);
    expect([...versions].sort()).toEqual(['1', '2']);
    expect(least).toBe(3);
    expect(done?.metadata.annotations?.['deployment.kubernetes.io/revision']).toBe('2');
    expect(embedded.mesh.metricsText()).toMatch(
      /istio_requests_total\{reporter="destination",destination_workload="roll",.*response_code="200"/,
    );
  });

  it('pods that are ready count as soon as minReadySeconds is reset', async () => {
    await deploy('early');
    await embedded.cluster.patch(refTo('early'), { spec: { minReadySeconds: 3000 } });
    await eventuallyHolds(async () => expect(raw(await embedded.cluster.get(refTo('early')))?.status?.availableReplicas ?? 0).toBe(0));
    await embedded.cluster.patch(refTo('early'), { spec: { minReadySeconds: null } });
    await settled('early');
  });

  it('reports ProgressDeadlineExceeded and keeps the old version serving', async () => {
    await deploy('stuck', { progressDeadlineSeconds: 1 });
    await release('stuck', 'shop/app:2', [{ name: 'NEVER_READY', value: 'true' }]);
    await eventuallyHolds(async () => {
      const found = raw(await embedded.cluster.get(refTo('stuck')));
      const condition = ((found?.status?.conditions ?? []) as { type: string; reason: string; status: string }[]).find(
        ({ type }) => type === 'Progressing',
      );
      expect(condition).toMatchObject({ reason: 'ProgressDeadlineExceeded', status: 'False' });
      expect(found?.status.availableReplicas).toBe(3);
    });
  });

  it('reports refused pods in the Deployment, and makes them as soon as nothing refuses them', async () => {
    await deploy('refused');
    await embedded.cluster.patch(refTo('refused'), { spec: { template: { spec: { serviceAccountName: 'builder' } } } });
    const failures = async () =>
      raw(await embedded.cluster.get(refTo('refused')))?.status.conditions.filter(
        ({ type }: { type: string }) => type === 'ReplicaFailure',
      );
    await eventuallyHolds(async () =>
      expect(await failures()).toMatchObject([
        { status: 'True', reason: 'FailedCreate', message: expect.stringContaining('serviceaccount "builder" not found') },
      ]),
    );
    await embedded.cluster.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'builder', namespace: 'default' } });
    await settled('refused');
    await eventuallyHolds(async () => expect(await failures()).toEqual([]));
  });

  it('answers 503 itself when a Service has no pods', async () => {
    await deploy('empty', { replicas: 1 });
    await embedded.cluster.patch(refTo('empty'), { spec: { replicas: 0 } });
    await eventuallyHolds(async () => {
      const { status, headers } = await fetchText(embedded.mesh.url(0), { headers: { 'x-serin-host': 'empty.default' } });
      expect(status).toBe(503);
      expect(headers['x-serin-proxy-error']).toMatch(/no healthy upstream|connect-failure/);
    });
  });

  it('starts a pod when its last scheduling gate is gone, and it is ready when its last readiness gate is open', async () => {
    const ref: ObjectRef = { apiVersion: 'v1', kind: 'Pod', name: 'gated', namespace: 'default' };
    const conditions = (pod: KubeObject | undefined): Record<string, string> =>
      Object.fromEntries(
        ((raw(pod)?.status?.conditions ?? []) as { type: string; status: string }[]).map(({ type, status }) => [type, status] as const),
      );
    const comesTo = (wanted: Record<string, string>) =>
      eventuallyHolds(async () => expect(conditions(await embedded.cluster.get(ref))).toMatchObject(wanted));
    await embedded.cluster.create({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'gated', namespace: 'default' },
      spec: {
        schedulingGates: [{ name: 'example.com/quota' }],
        readinessGates: [{ conditionType: 'example.com/warm' }],
        containers: [container('shop/app:1')],
      },
    });
    await expect(embedded.cluster.bind(ref, 'node-a')).rejects.toThrow('pod gated has non-empty .spec.schedulingGates');
    await deploy('after-gated', { replicas: 1 });
    expect(raw(await embedded.cluster.get(ref))?.spec.nodeName).toBeUndefined();
    const more = { spec: { schedulingGates: [{ name: 'example.com/late' }] } };
    await expect(embedded.cluster.patch(ref, more)).rejects.toThrow("found new scheduling gate 'example.com/late'");
    await embedded.cluster.patch(ref, { spec: { schedulingGates: null } });
    await comesTo({ ContainersReady: 'True', Ready: 'False' });
    expect(raw(await embedded.cluster.get(ref))?.status.conditions).toContainEqual(
      expect.objectContaining({ type: 'Ready', reason: 'ReadinessGatesNotReady', message: expect.stringContaining('example.com/warm') }),
    );
    const open = [...(raw(await embedded.cluster.get(ref))?.status.conditions ?? []), { type: 'example.com/warm', status: 'True' }];
    await embedded.cluster.patch(ref, { status: { conditions: open } }, { subresource: 'status' });
    await comesTo({ Ready: 'True', 'example.com/warm': 'True' });
  });
});
