import { expect, it, vi } from 'vitest';
import { APP, aModelCanary, type ModelLab, NAMESPACE, targetRef } from '../../../test/fakes/model/lab.ts';
import { labOf } from '../../../test/fakes/model/life.ts';
import { deleteCanary } from '../../../test/fakes/model/released.ts';
import { type Raw, raw } from '../../../test/fakes/raw.ts';
import type { KubeObject, ObjectRef } from '../../api/kube-object.ts';

// A bound against a life that never ends; minutes of virtual time take a second.
vi.setConfig({ testTimeout: 60_000 });

/** One kind of route of the user's: how a rule leads to a Service, and how its weights are read. */
interface UsersRoute {
  spec: object;
  ref: ObjectRef;
  route: Raw;
  /** Its rules, by the Service of their first backend. */
  rulesOf(route: Raw): Raw[];
  /** The list of a rule's backends, and the name that one of them leads to, to be changed by the user. */
  rename(rule: Raw): void;
  /** The spec of the route with other rules. */
  withRules(rules: Raw[]): Raw;
  /** Services of a rule with their weights. */
  leadsTo(rule: Raw): Record<string, number>;
}

const service = (fields: object) => ({ port: 80, targetPort: 'http', ...fields });
const filter = { type: 'ExtensionRef', extensionRef: { group: 'example.org', kind: 'Auth', name: 'staff' } };
const path = (value: string) => [{ path: { type: 'PathPrefix', value } }];
const ref = (name: string, weight = 1) => ({ group: '', kind: 'Service', name, port: 80, weight });

const kinds: Record<string, UsersRoute> = {
  HTTPRoute: {
    spec: { provider: 'gatewayapi:v1', service: service({ gatewayRefs: [{ name: 'public', namespace: 'edge' }] }) },
    ref: { apiVersion: 'gateway.networking.k8s.io/v1', kind: 'HTTPRoute', name: APP, namespace: NAMESPACE },
    route: {
      parentRefs: [{ name: 'public', namespace: 'edge', sectionName: 'https' }],
      hostnames: ['shop.example.org'],
      rules: [
        { matches: path('/static'), backendRefs: [ref('static')] },
        { matches: path('/admin'), filters: [filter], backendRefs: [ref('admin')] },
        { name: 'app', matches: path('/'), filters: [filter], timeouts: { request: '3s' }, backendRefs: [ref(APP)] },
        { matches: path('/half'), backendRefs: [ref(APP, 3), ref('legacy', 1)] },
      ],
    },
    rulesOf: (route) => route.rules,
    withRules: (rules) => ({ ...kinds.HTTPRoute?.route, rules }),
    rename: ({ backendRefs }) => {
      backendRefs[0].name = 'files';
    },
    leadsTo: ({ backendRefs }) => Object.fromEntries(backendRefs.map(({ name, weight }: Raw) => [name, weight])),
  },
  VirtualService: {
    spec: { provider: 'istio', service: service({ gateways: ['edge/public'], hosts: ['shop.example.org'] }) },
    ref: { apiVersion: 'networking.istio.io/v1beta1', kind: 'VirtualService', name: APP, namespace: NAMESPACE },
    route: {
      hosts: ['shop.example.org'],
      gateways: ['edge/public'],
      http: [
        { match: [{ uri: { prefix: '/static' } }], route: [{ destination: { host: 'static' } }] },
        { match: [{ uri: { prefix: '/old' } }], redirect: { uri: '/new' } },
        {
          ...{ name: 'app', match: [{ uri: { prefix: '/app' } }], retries: { attempts: 2 }, timeout: '3s' },
          route: [{ destination: { host: APP, port: { number: 80 } }, headers: { request: { set: { 'x-side': 'a' } } } }],
        },
        {
          route: [
            { destination: { host: `${APP}.${NAMESPACE}.svc.cluster.local` }, weight: 3 },
            { destination: { host: 'legacy' }, weight: 1 },
          ],
        },
      ],
    },
    rulesOf: (route) => route.http,
    withRules: (http) => ({ ...kinds.VirtualService?.route, http }),
    rename: (rule) => {
      rule.route[0].destination.host = 'files';
    },
    leadsTo: ({ route = [] }) =>
      Object.fromEntries(route.map(({ destination: { host }, weight = 100 }: Raw) => [host.replace(/\..*/, ''), weight])),
  },
  HTTPProxy: {
    spec: { provider: 'contour' },
    ref: { apiVersion: 'projectcontour.io/v1', kind: 'HTTPProxy', name: APP, namespace: NAMESPACE },
    route: {
      virtualhost: { fqdn: 'shop.example.org' },
      routes: [
        { conditions: [{ prefix: '/static' }], services: [{ name: 'static', port: 80 }] },
        { conditions: [{ prefix: '/socket' }], enableWebsockets: true, services: [{ name: 'socket', port: 80 }] },
        {
          ...{ conditions: [{ prefix: '/' }], enableWebsockets: true, requestHeadersPolicy: { set: [{ name: 'x-a', value: 'b' }] } },
          services: [{ name: APP, port: 80 }],
        },
        {
          conditions: [{ prefix: '/half' }],
          services: [
            { name: APP, port: 80, weight: 3 },
            { name: 'legacy', port: 80, weight: 1 },
          ],
        },
      ],
    },
    rulesOf: (route) => route.routes,
    withRules: (routes) => ({ ...kinds.HTTPProxy?.route, routes }),
    rename: ({ services }) => {
      services[0].name = 'files';
    },
    leadsTo: ({ services }) => Object.fromEntries(services.map(({ name, weight }: Raw) => [name, weight])),
  },
};

const managersOf = (object: KubeObject | undefined): unknown[] =>
  (raw(object)?.metadata.managedFields ?? []).map(({ manager }: Raw) => manager);

async function initialized({ spec, ref: found, route }: UsersRoute): Promise<ModelLab> {
  const { lab } = labOf({ seed: 7, provider: 'istio', delayMs: 2_000, plan: 0, hasService: true });
  await lab.application(true);
  const { apiVersion, kind } = found;
  lab.server.create({ apiVersion, kind, metadata: { name: APP, namespace: NAMESPACE }, spec: route } as KubeObject);
  lab.server.create(aModelCanary({ stepWeight: 25, maxWeight: 50, interval: '30s' }, spec));
  lab.start();
  expect(await lab.passUntil(() => lab.phase() === 'Initialized' && raw(lab.server.find(targetRef))?.spec.replicas === 0, 300_000)).toBe(
    true,
  );
  await lab.pass(30_000);
  return lab;
}

it('fields of the Canary that a route of the user’s makes void are named, with what helps', async () => {
  const each = kinds.HTTPProxy as UsersRoute;
  const lab = await initialized({ ...each, spec: { provider: 'contour', service: service({ timeout: '5s', hosts: [] }) } });
  const said = () => raw(lab.canary())?.status?.conditions?.find(({ type }: Raw) => type === 'FieldIgnored')?.message;
  expect(said()).toBe(
    `spec.service.timeout has no effect, since HTTPProxy ${APP} is yours: say it there, or hand it over by metadata.annotations[serin.dev/adopt]: "true"`,
  );
});

it.each(Object.entries(kinds))(
  'I17: a %s of the user’s stays the user’s: only backends that name the application are split',
  async (kind, each) => {
    const lab = await initialized(each);
    // Istio's proxies know all Services; others must not forget the apex (DF867).
    const kept = kind === 'VirtualService' ? {} : { [APP]: 0 };
    const rules = (): Raw[] => each.rulesOf(raw(lab.server.find(each.ref))?.spec);
    const before = each.rulesOf(each.route);
    const leads = () => rules().map((rule) => each.leadsTo(rule));
    const [, , app] = before;
    expect(rules().slice(0, 2)).toEqual(before.slice(0, 2));
    expect(leads().slice(2)).toEqual([
      { [`${APP}-primary`]: 100, [`${APP}-canary`]: 0, ...kept },
      { [`${APP}-primary`]: 300, [`${APP}-canary`]: 0, ...kept, legacy: 100 },
    ]);
    const live = lab.server.find(each.ref);
    expect(live?.metadata.annotations ?? {}).toEqual({});
    expect(raw(live)?.spec).toEqual(each.withRules(rules()));
    expect(managersOf(live)).not.toContain('serin');

    lab.push('2');
    expect(await lab.passUntil(() => leads()[2]?.[`${APP}-canary`] === 25, 300_000)).toBe(true);
    expect(leads()[3]).toEqual({ [`${APP}-primary`]: 225, [`${APP}-canary`]: 75, ...kept, legacy: 100 });
    const { backendRefs: _, route: __, services: ___, ...rest } = app;
    expect(rules()[2]).toMatchObject(rest);

    // The user's next content is split again.
    const edited = structuredClone(each.route);
    each.rename(each.rulesOf(edited)[0]);
    lab.server.patch(each.ref, { spec: edited });
    expect(await lab.passUntil(() => (leads()[2]?.[`${APP}-canary`] ?? 0) > 0, 60_000)).toBe(true);
    expect(rules()[0]).toEqual(each.rulesOf(edited)[0]);
    expect(await lab.passUntil(() => lab.phase() === 'Succeeded', 600_000)).toBe(true);
    await lab.pass(60_000);
    const idle = lab.writes.length;
    await lab.pass(300_000);
    expect(lab.writes.slice(idle)).toEqual([]);

    await deleteCanary(lab);
    expect(lab.server.find(each.ref)?.spec).toEqual(edited);
    expect(lab.server.find(each.ref)?.metadata.annotations ?? {}).toEqual({});
    for (const ref of [each.ref, targetRef, { apiVersion: 'v1', kind: 'Service', name: APP, namespace: NAMESPACE }])
      expect(managersOf(lab.server.find(ref)), ref.kind).not.toContain('serin');
    // The model's clients call every Service of a VirtualService, and those of other applications are not in the model.
    expect(lab.lost.filter((text) => !/no Service (static|files|legacy) /.test(text))).toEqual([]);
  },
);
