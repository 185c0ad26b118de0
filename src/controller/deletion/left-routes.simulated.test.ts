import { expect, it, vi } from 'vitest';
import { APP, aModelCanary, canaryRef, type ModelLab, NAMESPACE, targetRef } from '../../../test/fakes/model/lab.ts';
import { labOf } from '../../../test/fakes/model/life.ts';
import { GRACE_MS, left } from '../../../test/fakes/model/uninstalling.ts';
import { raw } from '../../../test/fakes/raw.ts';
import type { KubeObject, ObjectRef } from '../../api/kube-object.ts';
import { madeForAnnotation, ownerAnnotation } from '../../api/names.ts';

// A bound against a life that never ends; minutes of virtual time take a second.
vi.setConfig({ testTimeout: 60_000 });

const under = (apiVersion: string, kind: string): ObjectRef => ({ apiVersion, kind, name: APP, namespace: NAMESPACE });
const virtualService = under('networking.istio.io/v1beta1', 'VirtualService');
const httpRoute = under('gateway.networking.k8s.io/v1', 'HTTPRoute');
const service = (fields: object) => ({ port: 80, targetPort: 'http', ...fields });

const edges = [
  { what: 'Contour, an HTTPProxy that the root includes', spec: { provider: 'contour' }, ref: under('projectcontour.io/v1', 'HTTPProxy') },
  { what: 'Gloo, a RouteTable', spec: { provider: 'gloo' }, ref: under('gateway.solo.io/v1', 'RouteTable') },
  { what: 'Traefik, a TraefikService', spec: { provider: 'traefik' }, ref: under('traefik.io/v1alpha1', 'TraefikService') },
  {
    what: 'Istio, a VirtualService of a gateway',
    spec: { provider: 'istio', service: service({ gateways: ['istio-system/public'], hosts: ['shop.example.org'] }) },
    ref: virtualService,
  },
  { what: "Istio, a root's delegate", spec: { provider: 'istio', service: service({ delegation: true }) }, ref: virtualService },
  {
    what: 'Gateway API, an HTTPRoute of a Gateway',
    spec: { provider: 'gatewayapi:v1', service: service({ gatewayRefs: [{ name: 'public', namespace: 'edge' }] }) },
    ref: httpRoute,
  },
];

const meshes = [
  { what: 'Istio, inside the mesh', spec: { provider: 'istio' }, ref: virtualService },
  { what: 'SMI', spec: { provider: 'smi:v1alpha2' }, ref: under('split.smi-spec.io/v1alpha2', 'TrafficSplit') },
  {
    what: 'Gateway API, an HTTPRoute of a Service',
    spec: { provider: 'gatewayapi:v1', service: service({ gatewayRefs: [{ group: '', kind: 'Service', name: APP }] }) },
    ref: httpRoute,
  },
];

async function initialized(spec: object, hasService = false): Promise<ModelLab> {
  const { lab } = labOf({ seed: 7, provider: 'istio', delayMs: 2_000, plan: 0, hasService });
  await lab.application(hasService);
  await begin(lab, spec);
  return lab;
}

async function begin(lab: ModelLab, spec: object): Promise<void> {
  lab.server.create(aModelCanary({ iterations: 2 }, spec));
  if (!lab.isUp) lab.start();
  expect(await lab.passUntil(() => lab.phase() === 'Initialized', 300_000)).toBe(true);
  await lab.pass(30_000);
}

/** The Canary is deleted, and the last of what follows from it is long ago. */
async function deleted(lab: ModelLab): Promise<void> {
  lab.server.delete(canaryRef);
  await lab.pass(GRACE_MS);
  expect(lab.canary()).toBeUndefined();
}

/** The Services that a routing object leads to. */
function backends(found: KubeObject | undefined): string[] {
  const text = JSON.stringify(found?.spec ?? {});
  return [APP, `${APP}-primary`, `${APP}-canary`].filter((name) => new RegExp(`"(name|host)":"${name}"`).test(text));
}

it.each(edges)('I7: $what, stays after the Canary, leads to the apex Service and has no owner', async ({ spec, ref }) => {
  const lab = await initialized(spec);
  await deleted(lab);
  const route = lab.server.find(ref);
  expect([backends(route), route?.metadata.ownerReferences]).toEqual([[APP], undefined]);
  expect(left(lab)).toEqual([`Deployment/${APP}`, `Service/${APP}`, `${ref.kind}/${APP}`].toSorted());
  expect(lab.lost).toEqual([]);
});

it.each(edges)('I7: $what, with revertOnDeletion: it stays too', async ({ spec, ref }) => {
  const lab = await initialized({ ...spec, revertOnDeletion: true }, true);
  await deleted(lab);
  expect(backends(lab.server.find(ref))).toEqual([APP]);
});

it.each(edges)('I7: $what: the next Canary has it as its own again, and leaves it again', async ({ spec, ref }) => {
  const lab = await initialized(spec);
  await deleted(lab);
  const { uid } = lab.server.find(ref)?.metadata ?? {};
  await begin(lab, spec);
  const again = lab.server.find(ref);
  expect(again?.metadata.uid).toBe(uid);
  expect(again?.metadata.annotations?.[ownerAnnotation]).toBe(lab.canary()?.metadata.uid);
  expect(raw(again)?.metadata.ownerReferences).toHaveLength(1);
  expect(backends(again)).not.toEqual([APP]);
  await deleted(lab);
  expect([backends(lab.server.find(ref)), lab.server.find(ref)?.metadata.ownerReferences, lab.lost]).toEqual([[APP], undefined, []]);
});

it.each(edges)('I7: $what: at an uninstall it leads nowhere, and goes', async ({ spec }) => {
  const lab = await initialized(spec);
  lab.server.delete(canaryRef);
  await lab.pass(300);
  lab.watched = false;
  lab.server.delete(targetRef);
  await lab.pass(GRACE_MS + 120_000);
  expect(left(lab)).toEqual([]);
});

it.each(edges)('I7: $what, left to a target that goes before the anchor does: it goes with the rest', async ({ spec, ref }) => {
  const lab = await initialized(spec);
  lab.server.delete(canaryRef);
  expect(
    await lab.passUntil(() => backends(lab.server.find(ref)).join() === APP && !lab.server.find(ref)?.metadata.ownerReferences, 120_000),
  ).toBe(true);
  lab.watched = false;
  lab.server.delete(targetRef);
  await lab.pass(GRACE_MS + 120_000);
  expect(left(lab)).toEqual([]);
});

it.each(edges)('I7: $what, stays where Serin is killed at any step of the deletion', async ({ spec, ref }) => {
  for (let afterMs = 2_000; afterMs < 40_000; afterMs += 3_500) {
    const lab = await initialized(spec);
    lab.server.delete(canaryRef);
    await lab.pass(afterMs);
    lab.kill();
    lab.start();
    await lab.pass(GRACE_MS);
    expect([afterMs, backends(lab.server.find(ref)), lab.lost]).toEqual([afterMs, [APP], []]);
  }
});

it.each(meshes)('I7: $what: the route goes, and clients fall back to the Service', async ({ spec, ref }) => {
  const lab = await initialized(spec);
  await deleted(lab);
  expect([lab.server.find(ref), left(lab), lab.lost]).toEqual([undefined, [`Deployment/${APP}`, `Service/${APP}`], []]);
});

it('I7: a mark that was copied to a route of another name makes it no one of ours', async () => {
  const spec = { provider: 'contour' };
  const lab = await initialized(spec);
  await deleted(lab);
  const ref = under('projectcontour.io/v1', 'HTTPProxy');
  lab.server.patch(ref, { metadata: { annotations: { [madeForAnnotation]: `other/${APP}` } } });
  await begin(lab, spec);
  expect(lab.server.find(ref)?.metadata.ownerReferences).toBeUndefined();
  await deleted(lab);
  expect(backends(lab.server.find(ref))).toEqual([APP]);
});
