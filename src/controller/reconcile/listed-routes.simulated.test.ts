import { isDeepStrictEqual } from 'node:util';
import { expect, it, vi } from 'vitest';
import { APP, aDeployment, aModelCanary, canaryRef, type ModelLab, NAMESPACE, targetRef } from '../../../test/fakes/model/lab.ts';
import { labOf } from '../../../test/fakes/model/life.ts';
import { deleteCanary } from '../../../test/fakes/model/released.ts';
import { type Raw, raw } from '../../../test/fakes/raw.ts';
import type { KubeObject, ObjectRef } from '../../api/kube-object.ts';

// A bound against a life that never ends; minutes of virtual time take a second.
vi.setConfig({ testTimeout: 60_000 });

interface ListedKind {
  spec: object;
  apiVersion: string;
  route(host: string, ...services: string[]): Raw;
  /** Services of each rule with their weights. */
  leadsTo(route: Raw): Record<string, number>[];
}

const service = (fields: object) => ({ port: 80, targetPort: 'http', ...fields });
const kinds: Record<string, ListedKind> = {
  HTTPRoute: {
    spec: { provider: 'gatewayapi:v1', service: service({}) },
    apiVersion: 'gateway.networking.k8s.io/v1',
    route: (host, ...services) => ({
      parentRefs: [{ group: 'gateway.networking.k8s.io', kind: 'Gateway', name: 'public', namespace: 'edge' }],
      hostnames: [host],
      rules: services.map((name) => ({
        matches: [{ path: { type: 'PathPrefix', value: `/${name}` } }],
        backendRefs: [{ group: '', kind: 'Service', name, port: 80, weight: 1 }],
      })),
    }),
    leadsTo: ({ rules }) =>
      rules.map(({ backendRefs }: Raw) => Object.fromEntries(backendRefs.map(({ name, weight }: Raw) => [name, weight]))),
  },
  VirtualService: {
    spec: { provider: 'istio', service: service({}) },
    apiVersion: 'networking.istio.io/v1beta1',
    route: (host, ...services) => ({
      ...{ hosts: [host], gateways: ['edge/public'] },
      http: services.map((name) => ({ match: [{ uri: { prefix: `/${name}` } }], route: [{ destination: { host: name } }] })),
    }),
    leadsTo: ({ http }) =>
      http.map(({ route }: Raw) => Object.fromEntries(route.map(({ destination, weight = 100 }: Raw) => [destination.host, weight]))),
  },
  HTTPProxy: {
    spec: { provider: 'contour', service: service({}) },
    apiVersion: 'projectcontour.io/v1',
    route: (host, ...services) => ({
      virtualhost: { fqdn: host },
      routes: services.map((name) => ({ conditions: [{ prefix: `/${name}` }], services: [{ name, port: 80 }] })),
    }),
    leadsTo: ({ routes }) =>
      routes.map(({ services }: Raw) => Object.fromEntries(services.map(({ name, weight = 100 }: Raw) => [name, weight]))),
  },
};

const listed = ({ apiVersion }: ListedKind, kind: string, ...all: string[]) => ({
  routeRefs: all.map((name) => ({ apiVersion, kind, name })),
});
/** Istio's proxies know all Services; others must not forget the apex (DF867). */
const kept = (kind: string, apex: string = APP) => (kind === 'VirtualService' ? {} : { [apex]: 0 });
const both = (kind: string, percent: number) => ({ [`${APP}-primary`]: 100 - percent, [`${APP}-canary`]: percent, ...kept(kind) });
const condition = (lab: ModelLab, type: string): Raw => raw(lab.canary())?.status?.conditions?.find((one: Raw) => one.type === type);

async function arriving(each: ListedKind, kind: string, routes: Record<string, Raw>, refs: readonly string[]) {
  const { lab } = labOf({ seed: 7, provider: 'istio', delayMs: 2_000, plan: 0, hasService: true });
  await lab.application(true);
  const ref = (name: string): ObjectRef => ({ apiVersion: each.apiVersion, kind, name, namespace: NAMESPACE });
  const create = (name: string, spec: Raw) =>
    lab.server.create({ apiVersion: each.apiVersion, kind, metadata: { name, namespace: NAMESPACE }, spec } as KubeObject);
  for (const [name, spec] of Object.entries(routes)) create(name, structuredClone(spec));
  lab.server.create(aModelCanary({ stepWeight: 25, maxWeight: 50, interval: '30s' }, { ...each.spec, ...listed(each, kind, ...refs) }));
  lab.start();
  return { lab, create, ref, leads: (name: string) => each.leadsTo(raw(lab.server.find(ref(name)))?.spec) };
}

const isInitialized = (lab: ModelLab) => lab.phase() === 'Initialized' && raw(lab.server.find(targetRef))?.spec.replicas === 0;

it.each(Object.entries(kinds))('I17: each %s of spec.routeRefs is split, healed and restored, and none is made', async (kind, each) => {
  const routes = { inside: each.route('inside.example.org', APP, 'static'), outside: each.route('outside.example.org', APP) };
  const { lab, ref, leads } = await arriving(each, kind, routes, ['inside', 'outside']);
  expect(await lab.passUntil(() => isInitialized(lab), 300_000)).toBe(true);
  await lab.pass(30_000);
  expect(lab.server.find(ref(APP))).toBeUndefined();
  expect([leads('inside')[0], leads('outside')[0]]).toEqual([both(kind, 0), both(kind, 0)]);
  expect(leads('inside')[1]).toEqual(each.leadsTo(routes.inside)[1]);

  lab.push('2');
  expect(await lab.passUntil(() => leads('inside')[0]?.[`${APP}-canary`] === 25, 300_000)).toBe(true);
  await lab.pass(2_000);
  expect(leads('outside')[0]).toEqual(both(kind, 25));
  expect(raw(lab.canary())?.status.canaryWeight).toBe(25);
  // The user's next content of one of them is split again.
  const edited = each.route('outside.example.org', 'static', APP);
  lab.server.patch(ref('outside'), { spec: edited });
  expect(await lab.passUntil(() => (leads('outside')[1]?.[`${APP}-canary`] ?? 0) > 0, 60_000)).toBe(true);
  expect(await lab.passUntil(() => lab.phase() === 'Succeeded', 600_000)).toBe(true);
  await lab.pass(60_000);
  const idle = lab.writes.length;
  await lab.pass(300_000);
  expect(lab.writes.slice(idle)).toEqual([]);

  await deleteCanary(lab);
  expect(lab.server.find(ref('inside'))?.spec).toEqual(routes.inside);
  expect(lab.server.find(ref('outside'))?.spec).toEqual(edited);
});

it.each(Object.entries(kinds))('a %s that is listed and not there is waited for, and named', async (kind, each) => {
  const { lab, create, leads } = await arriving(each, kind, { inside: each.route('inside.example.org', APP) }, ['inside', 'later']);
  expect(await lab.passUntil(() => lab.phase() === 'Initialized', 300_000)).toBe(true);
  lab.push('2');
  await lab.pass(40_000);
  const [blocker] = raw(lab.canary())?.status.release.blockers ?? [];
  expect(blocker).toMatchObject({ code: 'RouteMissing', field: 'spec.routeRefs[1]', object: { kind, name: 'later' } });
  expect(leads('inside')[0]).toEqual(both(kind, 0));
  create('later', each.route('later.example.org', APP));
  expect(await lab.passUntil(() => leads('later')[0]?.[`${APP}-canary`] === 25, 60_000)).toBe(true);
  expect(await lab.passUntil(() => lab.phase() === 'Succeeded', 600_000)).toBe(true);
});

it.each(Object.entries(kinds))(
  'I17: a %s that is listed no more is given back at once, in the middle of a release, too',
  async (kind, each) => {
    const routes = { inside: each.route('inside.example.org', APP), outside: each.route('outside.example.org', APP) };
    const { lab, ref, leads } = await arriving(each, kind, routes, ['inside', 'outside']);
    expect(await lab.passUntil(() => isInitialized(lab), 300_000)).toBe(true);
    lab.push('2');
    expect(await lab.passUntil(() => leads('outside')[0]?.[`${APP}-canary`] === 25, 300_000)).toBe(true);
    lab.kill();
    lab.server.patch(canaryRef, { spec: listed(each, kind, 'inside') });
    lab.start();
    // Proxies learn of the apex Service before, and forget the sides after (DF650).
    expect(await lab.passUntil(() => isDeepStrictEqual(lab.server.find(ref('outside'))?.spec, routes.outside), 60_000)).toBe(true);
    expect(await lab.passUntil(() => lab.phase() === 'Succeeded', 600_000)).toBe(true);
    expect(condition(lab, 'WouldBeLost')?.message ?? '').not.toContain('inside');
    await lab.pass(60_000);
    expect(raw(lab.canary())?.status.release.listedRoutes).toEqual(listed(each, kind, 'inside').routeRefs);
  },
);

it.each(Object.entries(kinds))('I17: two Canaries share a %s, and each splits its own destinations', async (kind, each) => {
  const shared = each.route('shared.example.org', APP, 'shop', 'static');
  const { lab, ref, leads } = await arriving(each, kind, { shared }, ['shared']);
  lab.server.create(aDeployment('1', 'shop'));
  lab.server.create({
    ...{ apiVersion: 'v1', kind: 'Service', metadata: { name: 'shop', namespace: NAMESPACE } },
    spec: { selector: { app: 'shop' }, ports: [{ name: 'http', port: 80, targetPort: 'http' }] },
  });
  const spec = { ...each.spec, ...listed(each, kind, 'shared') };
  lab.server.create(aModelCanary({ stepWeight: 20, maxWeight: 60, interval: '20s' }, spec, 'shop'));
  const areIdle = () => isInitialized(lab) && lab.phase('shop') === 'Initialized';
  expect(await lab.passUntil(areIdle, 300_000)).toBe(true);
  await lab.pass(60_000);
  lab.push('2');
  lab.push('2', 'shop');
  const mine = () => leads('shared')[0]?.[`${APP}-canary`];
  const theirs = () => leads('shared')[1]?.['shop-canary'];
  expect(await lab.passUntil(() => mine() === 50 && (theirs() ?? 0) > 0, 300_000)).toBe(true);
  expect(leads('shared')[2]).toEqual(each.leadsTo(shared)[2]);
  expect(await lab.passUntil(() => lab.phase() === 'Succeeded' && lab.phase('shop') === 'Succeeded', 600_000)).toBe(true);
  await lab.pass(60_000);
  const idle = lab.writes.length;
  await lab.pass(300_000);
  expect(lab.writes.slice(idle)).toEqual([]);
  await deleteCanary(lab);
  expect(leads('shared').slice(0, 2)).toEqual([each.leadsTo(shared)[0], { 'shop-primary': 100, 'shop-canary': 0, ...kept(kind, 'shop') }]);
  await deleteCanary(lab, 'shop');
  expect(lab.server.find(ref('shared'))?.spec).toEqual(shared);
});

it.each([false, true])('I17: a route that was listed later is given back at deletion, with Serin down meanwhile: %s', async (isDown) => {
  const each = kinds.HTTPRoute as ListedKind;
  const kind = 'HTTPRoute';
  const routes = { inside: each.route('inside.example.org', APP), outside: each.route('outside.example.org', APP) };
  const { lab, ref, leads } = await arriving(each, kind, routes, ['inside']);
  expect(await lab.passUntil(() => isInitialized(lab), 300_000)).toBe(true);
  lab.server.patch(canaryRef, { spec: listed(each, kind, 'inside', 'outside') });
  expect(await lab.passUntil(() => leads('outside')[0]?.[`${APP}-primary`] === 100, 60_000)).toBe(true);
  await lab.pass(60_000);
  if (isDown) lab.kill();
  lab.server.delete(canaryRef);
  await lab.pass(10_000);
  if (isDown) lab.start();
  expect(await lab.passUntil(() => lab.canary() === undefined, 300_000)).toBe(true);
  await lab.pass(180_000);
  expect([lab.server.find(ref('inside'))?.spec, lab.server.find(ref('outside'))?.spec]).toEqual([routes.inside, routes.outside]);
});

it.each(Object.entries(kinds))('I17: an edit of a listed %s between any two requests of Serin is not lost', async (kind, each) => {
  const names = ['inside', 'outside'];
  const routeOf = (name: string, service: string) => each.route(`${name}.example.org`, APP, service);
  const { lab, ref, leads } = await arriving(each, kind, Object.fromEntries(names.map((name) => [name, routeOf(name, 'static')])), names);
  const written = new Map(names.map((name) => [name, 'static']));
  const lost: string[] = [];
  let calls = 0;
  lab.betweenCalls = () => {
    // A rule for no request, which introduces Services, can follow it.
    for (const name of names)
      if (!leads(name).some((rule) => Object.hasOwn(rule, written.get(name) ?? ''))) lost.push(`${name} at ${lab.clock.monotonicMs()} ms`);
    calls += 1;
    // Only every third call, so that Serin comes to an end of it.
    if (calls % 3 > 0) return;
    const name = names[(calls / 3) % 2] ?? '';
    written.set(name, `static-${calls}`);
    lab.server.patch(ref(name), { spec: routeOf(name, `static-${calls}`) });
  };
  expect(await lab.passUntil(() => isInitialized(lab), 300_000)).toBe(true);
  lab.push('2');
  expect(await lab.passUntil(() => lab.phase() === 'Succeeded', 900_000)).toBe(true);
  await deleteCanary(lab);
  expect(lost).toEqual([]);
});
