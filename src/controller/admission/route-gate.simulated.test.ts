import { expect, it, vi } from 'vitest';
import { APP, aModelCanary, canaryRef, type ModelLab, NAMESPACE } from '../../../test/fakes/model/lab.ts';
import { labWithApp } from '../../../test/fakes/model/life.ts';
import { raw } from '../../../test/fakes/raw.ts';
import type { CanaryCondition } from '../../api/canary-status.ts';
import type { KubeObject, Labels } from '../../api/kube-object.ts';

// A bound against a life that never ends; minutes of virtual time take a second.
vi.setConfig({ testTimeout: 60_000 });

/** A kind of route of the user's that leads from `host` to a Service, and the Canary that is routed by it. */
interface RouteKind {
  spec: object;
  route(name: string, service: string, more?: { host?: string; namespace?: string; annotations?: Labels }): KubeObject;
}

const metadata = (name: string, namespace = NAMESPACE, annotations?: Labels) => ({ name, namespace, ...(annotations && { annotations }) });
const service = { port: 80, targetPort: 'http' };
const parentRefs = [{ name: 'public', namespace: 'edge' }];
const kinds: Record<string, RouteKind> = {
  HTTPRoute: {
    spec: { provider: 'gatewayapi:v1', service: { ...service, gatewayRefs: parentRefs, hosts: ['shop.example.org'] } },
    route: (name, to, { host = 'shop.example.org', namespace, annotations } = {}) => ({
      ...{ apiVersion: 'gateway.networking.k8s.io/v1', kind: 'HTTPRoute', metadata: metadata(name, namespace, annotations) },
      spec: {
        parentRefs,
        hostnames: [host],
        rules: [{ backendRefs: [{ name: to, port: 80, ...(namespace && { namespace: NAMESPACE }) }] }],
      },
    }),
  },
  VirtualService: {
    spec: { provider: 'istio', service: { ...service, gateways: ['edge/public'], hosts: ['shop.example.org'] } },
    route: (name, to, { host = 'shop.example.org', namespace, annotations } = {}) => ({
      ...{ apiVersion: 'networking.istio.io/v1beta1', kind: 'VirtualService', metadata: metadata(name, namespace, annotations) },
      spec: {
        ...{ hosts: [host], gateways: ['edge/public'] },
        http: [{ route: [{ destination: { host: namespace ? `${to}.${NAMESPACE}.svc.cluster.local` : to } }] }],
      },
    }),
  },
  HTTPProxy: {
    spec: { provider: 'contour', service },
    route: (name, to, { host = 'shop.example.org', namespace, annotations } = {}) => ({
      ...{ apiVersion: 'projectcontour.io/v1', kind: 'HTTPProxy', metadata: metadata(name, namespace, annotations) },
      spec: { virtualhost: { fqdn: host }, routes: [{ services: [{ name: to, port: 80 }] }] },
    }),
  },
};

const conditions = (lab: ModelLab): CanaryCondition[] => raw(lab.canary())?.status?.conditions ?? [];
const said = (lab: ModelLab, type: string) => conditions(lab).find((one) => one.type === type);
const made = (lab: ModelLab) =>
  lab.writes.map(({ verb, ref: { kind, name } }) => `${verb} ${kind} ${name}`).filter((one) => !/Event|Canary/.test(one));

async function arriving(
  { spec }: RouteKind,
  objects: readonly KubeObject[],
  analysis: object = { stepWeight: 25, maxWeight: 50 },
): Promise<ModelLab> {
  const lab = await labWithApp();
  lab.server.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'edge' } });
  for (const one of objects) lab.server.create(one);
  lab.server.create(aModelCanary(analysis, spec));
  lab.start();
  return lab;
}

it.each(Object.entries(kinds))(
  'I17: a %s of the apex’s name that leads nowhere to it is refused before anything is written, also when its loss is accepted',
  async (kind, each) => {
    for (const annotations of [undefined, { 'serin.dev/arrival-loss': 'accepted' }]) {
      const lab = await arriving(each, [each.route(APP, 'static', annotations && { annotations })]);
      await lab.pass(60_000);
      expect(said(lab, 'Accepted')).toMatchObject({
        ...{ status: 'False', reason: 'EndpointsWouldBeLost', object: { kind, name: APP } },
        message: expect.stringMatching(
          /leads nowhere to Service podinfo, so that a release would have no requests\. To keep it, add a rule/,
        ),
      });
      expect(said(lab, 'Accepted')?.message).not.toContain('arrival-loss');
      expect(made(lab)).toEqual([]);
      lab.close();
    }
  },
);

it.each(Object.entries(kinds))(
  'I17: beside a %s that is not listed no second route is made for its host and parent',
  async (kind, each) => {
    const lab = await arriving(each, [each.route('shop', APP)]);
    await lab.pass(60_000);
    expect(said(lab, 'Accepted')).toMatchObject({
      ...{ status: 'False', reason: 'EndpointsWouldBeLost', object: { kind, name: 'shop' } },
      message: expect.stringContaining(`leads to Service ${APP}, and is not in spec.routeRefs of the Canary`),
    });
    expect(said(lab, 'Accepted')?.message).toMatch(/To keep it, list it there/);
    expect(made(lab)).toEqual([]);
  },
);

it.each(Object.entries(kinds))('a %s that is not listed is named beside the one of the apex’s name, and not written', async (_, each) => {
  const lab = await arriving(each, [each.route(APP, APP), each.route('shop', APP, { host: 'other.example.org' })]);
  const spec = () => lab.server.find({ ...each.route('shop', APP), name: 'shop', namespace: NAMESPACE })?.spec;
  const before = structuredClone(spec());
  expect(await lab.passUntil(() => lab.phase() === 'Initialized', 300_000)).toBe(true);
  expect(said(lab, 'WouldBeLost')?.message).toContain('is not in spec.routeRefs of the Canary');
  lab.push('2');
  expect(await lab.passUntil(() => lab.phase() === 'Succeeded', 600_000)).toBe(true);
  expect(spec()).toEqual(before);
});

it.each(Object.entries(kinds).filter(([kind]) => kind !== 'HTTPProxy'))(
  'a %s of another namespace that leads to the application is named, and not written',
  async (_, each) => {
    const elsewhere = each.route('shop', APP, { namespace: 'edge' });
    const lab = await arriving(each, [each.route(APP, APP), elsewhere]);
    expect(await lab.passUntil(() => lab.phase() === 'Initialized', 300_000)).toBe(true);
    expect(said(lab, 'WouldBeLost')?.message).toContain(`edge/shop: spec leads to Service ${APP} of namespace ${NAMESPACE}`);
    expect(made(lab).filter((one) => one.endsWith(' shop'))).toEqual([]);
    lab.server.delete(canaryRef);
  },
);

it('I17: a route of yours whose copies are too many is refused before anything is written', async () => {
  const each = kinds.HTTPRoute as RouteKind;
  const route = each.route(APP, APP);
  const rules = Array.from({ length: 9 }, (_, index) => ({
    matches: [{ path: { type: 'PathPrefix', value: `/${index}` } }],
    backendRefs: [{ name: APP, port: 80 }],
  }));
  const match = [{ headers: { user: { exact: 'a' } } }];
  const lab = await arriving(each, [{ ...route, spec: { ...(route.spec as object), rules } }], { iterations: 2, match });
  await lab.pass(60_000);
  expect(said(lab, 'Accepted')?.message).toContain('HTTPRoute podinfo would have more than 16 rules');
  expect(made(lab)).toEqual([]);
});
