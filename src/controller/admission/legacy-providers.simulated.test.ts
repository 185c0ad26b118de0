import { describe, expect, it, vi } from 'vitest';
import { initialize } from '../../../test/fakes/model/initialize.ts';
import { APP, aModelCanary, canaryRef, type ModelLab, NAMESPACE, namespaceRef, primaryRef } from '../../../test/fakes/model/lab.ts';
import { labOf } from '../../../test/fakes/model/life.ts';
import { raw } from '../../../test/fakes/raw.ts';
import type { KubeObject, ObjectRef } from '../../api/kube-object.ts';

vi.setConfig({ testTimeout: 60_000 });

const crdOf = (group: string, version: string, kind: string, scope: 'Namespaced' | 'Cluster'): KubeObject => {
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  const plural = `${kind.toLowerCase()}s`;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope,
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: [{ name: version, served: true, storage: true, schema }],
    },
  };
};
const definitions = [
  crdOf('kuma.io', 'v1alpha1', 'TrafficRoute', 'Cluster'),
  ...['VirtualNode', 'VirtualRouter', 'VirtualService'].map((kind) => crdOf('appmesh.k8s.aws', 'v1beta2', kind, 'Namespaced')),
];
const routeRef: ObjectRef = { apiVersion: 'kuma.io/v1alpha1', kind: 'TrafficRoute', name: `${APP}.${NAMESPACE}` };

async function initialized(provider: string): Promise<ModelLab> {
  const { lab } = labOf({ seed: 3, provider: 'istio', delayMs: 2_000, plan: 0, hasService: true });
  for (const crd of definitions) lab.server.create(crd);
  await lab.application();
  await initialize(lab, aModelCanary({ stepWeight: 25, maxWeight: 50 }, { provider }));
  return lab;
}
const weights = (lab: ModelLab) => raw(lab.server.find(routeRef))?.spec.conf.split.map(({ weight }: { weight: number }) => weight);
const isKuma = ({ ref }: { ref: ObjectRef }) => ref.kind === 'TrafficRoute';

describe('providers whose upstream has ended', () => {
  it('a release moves the weights of a TrafficRoute, which has no owner, and heals it', async () => {
    const lab = await initialized('kuma');
    lab.push('2');
    expect(await lab.passUntil(() => weights(lab)?.[1] === 25, 120_000)).toBe(true);
    expect(lab.server.find(routeRef)?.metadata.ownerReferences).toBeUndefined();
    lab.server.patch(routeRef, { spec: { conf: { split: [] } } });
    await lab.pass(1_000);
    expect(weights(lab)).toEqual([75, 25]);
    expect(await lab.passUntil(() => lab.phase() === 'Succeeded', 300_000)).toBe(true);
    expect(weights(lab)).toEqual([100, 0]);
    expect(lab.lost).toEqual([]);
  });

  it.each([
    { gone: 'its Canary', ref: canaryRef },
    { gone: 'its namespace', ref: namespaceRef },
  ])('the TrafficRoute goes with $gone, without another writer', async ({ ref }) => {
    const lab = await initialized('kuma');
    if (ref === namespaceRef) lab.watched = false;
    lab.server.delete(ref);
    expect(await lab.passUntil(() => lab.server.find(routeRef) === undefined, 120_000)).toBe(true);
    expect(lab.lost).toEqual([]);
  });

  it('a TrafficRoute that leads to another namespace is not touched', async () => {
    const { lab } = labOf({ seed: 3, provider: 'istio', delayMs: 2_000, plan: 0, hasService: true });
    for (const crd of definitions) lab.server.create(crd);
    const spec = { conf: { split: [{ weight: 100, destination: { 'kuma.io/service': `${APP}-primary_elsewhere_svc_80` } }] } };
    const theirs = lab.server.create({ apiVersion: 'kuma.io/v1alpha1', kind: 'TrafficRoute', metadata: { name: APP }, spec });
    await lab.application();
    await initialize(lab, aModelCanary({ stepWeight: 50 }, { provider: 'kuma' }));
    lab.server.delete(canaryRef);
    await lab.pass(120_000);
    expect(lab.server.find({ ...routeRef, name: APP })).toEqual(theirs);
  });

  it("App Mesh's nodes exist before the primary's pods, which it would turn away", async () => {
    const lab = await initialized('appmesh:v1beta2');
    const created = lab.writes.filter(({ subresource }) => subresource === '').map(({ ref }) => `${ref.kind}/${ref.name}`);
    const at = (name: string) => created.indexOf(name);
    expect(at(`VirtualNode/${APP}-primary`)).toBeGreaterThanOrEqual(0);
    expect(at(`VirtualNode/${APP}-primary`)).toBeLessThan(at(`Deployment/${primaryRef.name}`));
    expect(at(`VirtualService/${APP}`)).toBeGreaterThan(at(`Deployment/${primaryRef.name}`));
  });

  it('a warning says so once, by an event and a condition, and a restart writes nothing (I8)', async () => {
    const lab = await initialized('kuma');
    await lab.pass(60_000);
    const said = lab.writes.filter(({ ref, body }) => ref.kind === 'Event' && JSON.stringify(body).includes('ProviderDeprecated'));
    expect(said).toHaveLength(1);
    expect(raw(lab.canary())?.status?.conditions).toContainEqual(
      expect.objectContaining({ type: 'ProviderDeprecated', status: 'True', message: expect.stringContaining('gatewayapi:v1') }),
    );
    await lab.stop();
    lab.start();
    await lab.pass(60_000);
    expect(lab.writes).toEqual([]);
  });

  it('a resting TrafficRoute costs no write', async () => {
    const lab = await initialized('kuma');
    await lab.pass(10_000);
    const before = lab.writes.filter(isKuma).length;
    await lab.pass(600_000);
    expect(lab.writes.filter(isKuma)).toHaveLength(before);
  });
});
