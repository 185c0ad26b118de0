import { expect, it, vi } from 'vitest';
import { APP, aModelCanary, canaryRef, type ModelLab, NAMESPACE, primaryRef, targetRef } from '../../../test/fakes/model/lab.ts';
import { labOf } from '../../../test/fakes/model/life.ts';
import { awaitEnd, deleteCanary, release } from '../../../test/fakes/model/released.ts';
import { anHpa, aScaledObject, hpaRef, kedaCrd, refTo, soRef } from '../../../test/fakes/model/scaled.ts';
import { raw } from '../../../test/fakes/raw.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { fieldManager } from '../../api/names.ts';
import { entriesOf } from '../../kube/taken-over-fields.ts';

// A bound against a life that never ends; minutes of virtual time take a second.
vi.setConfig({ testTimeout: 60_000 });

const plan = { stepWeight: 25, maxWeight: 50 };
const service = { port: 80, targetPort: 'http' };
const gatewayRefs = [{ name: 'public', namespace: 'edge' }];
const named = (apiVersion: string, kind: string, spec: object, name = APP): KubeObject =>
  ({ apiVersion, kind, metadata: { name, namespace: NAMESPACE }, spec }) as KubeObject;

const usersHttpRoute = (name = APP) =>
  named(
    'gateway.networking.k8s.io/v1',
    'HTTPRoute',
    { parentRefs: gatewayRefs, rules: [{ backendRefs: [{ group: '', kind: 'Service', name: APP, port: 80 }] }] },
    name,
  );
const usersVirtualService = named('networking.istio.io/v1beta1', 'VirtualService', {
  hosts: ['shop.example.org'],
  gateways: ['edge/public'],
  http: [{ route: [{ destination: { host: APP, port: { number: 80 } } }] }],
});
const usersHttpProxy = named('projectcontour.io/v1', 'HTTPProxy', {
  virtualhost: { fqdn: 'shop.example.org' },
  routes: [{ services: [{ name: APP, port: 80 }] }],
});
const follower = named('v1', 'Service', { selector: { app: APP }, ports: [{ port: 81, targetPort: 'http' }] }, 'admin');
const renamed = named('v1', 'Service', { selector: { app: APP }, ports: [{ name: 'http', port: 80, targetPort: 'http' }] }, 'shop');

interface Case {
  what: string;
  objects: readonly KubeObject[];
  spec: object;
  /** Change of the Canary by its user after its first release. */
  edit?: object;
}

const CASES: readonly Case[] = [
  { what: 'a Service and one that follows it', objects: [follower], spec: {} },
  {
    what: 'a VirtualService',
    objects: [usersVirtualService],
    spec: { service: { ...service, gateways: ['edge/public'], hosts: ['shop.example.org'] } },
  },
  { what: 'an HTTPRoute', objects: [usersHttpRoute()], spec: { provider: 'gatewayapi:v1', service: { ...service, gatewayRefs } } },
  {
    what: 'a listed HTTPRoute of another name',
    objects: [usersHttpRoute('front')],
    spec: {
      provider: 'gatewayapi:v1',
      service: { ...service, gatewayRefs },
      routeRefs: [{ apiVersion: 'gateway.networking.k8s.io/v1', kind: 'HTTPRoute', name: 'front' }],
    },
  },
  { what: 'an HTTPProxy', objects: [usersHttpProxy], spec: { provider: 'contour' } },
  { what: 'a HorizontalPodAutoscaler', objects: [anHpa()], spec: refTo(hpaRef) },
  { what: 'a ScaledObject', objects: [kedaCrd, aScaledObject()], spec: refTo(soRef) },
  {
    what: 'a ScaledObject that the Canary names no more',
    objects: [kedaCrd, aScaledObject()],
    spec: refTo(soRef),
    edit: { autoscalerRef: null },
  },
  { what: 'a Service that the Canary named before', objects: [renamed], spec: {}, edit: { service: { name: 'shop' } } },
  {
    what: 'an HTTPRoute of the provider before',
    objects: [usersHttpRoute()],
    spec: { provider: 'gatewayapi:v1', service: { ...service, gatewayRefs } },
    edit: { provider: 'istio', service: { gatewayRefs: null } },
  },
];

/** Objects of which Serin owns a field, but for status; its own events aside. */
function owned({ server: { api } }: ModelLab): string[] {
  const all = api.store.storeKeys().flatMap((key) => api.store.list(key).map(([, object]) => object));
  const isOwned = (object: KubeObject) =>
    entriesOf(object).some(({ manager, subresource }) => manager === fieldManager && subresource !== 'status');
  return all.filter((object) => object.kind !== 'Event' && isOwned(object)).map(({ kind, metadata }) => `${kind} ${metadata.name}`);
}

async function released({ objects, spec, edit }: Case): Promise<ModelLab> {
  const { lab } = labOf({ seed: 5, provider: 'istio', delayMs: 2_000, plan: 0, hasService: true });
  await lab.application();
  for (const one of objects) lab.server.create(one);
  lab.server.create(aModelCanary(plan, spec));
  lab.start();
  await awaitEnd(lab, 'Initialized');
  await release(lab, '2');
  if (!edit) return lab;
  lab.server.patch(canaryRef, { spec: edit });
  await lab.pass(60_000);
  await release(lab, '3');
  return lab;
}

async function deletedAndGivenUp(lab: ModelLab, promoted?: string): Promise<void> {
  expect(owned(lab)).not.toEqual([]);
  await deleteCanary(lab);
  // An unpromoted version gets no users: the primary is kept until its user decides.
  if (promoted !== undefined) {
    lab.push(promoted);
    expect(await lab.passUntil(() => lab.server.find(primaryRef) === undefined, 300_000)).toBe(true);
  }
  expect(lab.server.find(targetRef)).toBeDefined();
  expect(owned(lab)).toEqual([]);
}

it.each(CASES)('after deletion Serin owns no field of $what', async (each) => {
  await deletedAndGivenUp(await released(each));
});

it.each(CASES)('after deletion in mid-release Serin owns no field of $what', async (each) => {
  const lab = await released(each);
  lab.push('4');
  expect(await lab.passUntil(() => raw(lab.canary())?.status?.canaryWeight > 0, 300_000)).toBe(true);
  await deletedAndGivenUp(lab, each.edit ? '3' : '2');
});
