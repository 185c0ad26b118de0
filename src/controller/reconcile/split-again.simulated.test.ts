import { expect, it, vi } from 'vitest';
import { APP, aModelCanary, type ModelLab, NAMESPACE, targetRef } from '../../../test/fakes/model/lab.ts';
import { labOf } from '../../../test/fakes/model/life.ts';
import { deleteCanary } from '../../../test/fakes/model/released.ts';
import { routeTraffic } from '../../../test/fakes/model/route-traffic.ts';
import { type Raw, raw } from '../../../test/fakes/raw.ts';
import type { KubeObject, ObjectRef } from '../../api/kube-object.ts';
import { INTRODUCED_FOR_MS } from '../../routers/introduction.ts';

// A bound against a life that never ends; minutes of virtual time take a second.
vi.setConfig({ testTimeout: 60_000 });

const service = { port: 80, targetPort: 'http' };
const path = (value: string) => [{ path: { type: 'PathPrefix', value } }];
const parentRefs = [{ group: 'gateway.networking.k8s.io', kind: 'Gateway', name: 'public', namespace: 'edge', sectionName: 'https' }];
const kinds: Record<
  string,
  { spec: object; ref: ObjectRef; route: Raw; list: string; backends?: string; sidesIn(rule: Raw): Record<string, number> }
> = {
  HTTPRoute: {
    spec: { provider: 'gatewayapi:v1', service: { ...service, gatewayRefs: [{ name: 'public', namespace: 'edge' }] } },
    ref: { apiVersion: 'gateway.networking.k8s.io/v1', kind: 'HTTPRoute', name: APP, namespace: NAMESPACE },
    route: {
      ...{ parentRefs, hostnames: ['shop.example.org'] },
      rules: [
        { matches: path('/static'), backendRefs: [{ group: '', kind: 'Service', name: 'static', port: 80, weight: 1 }] },
        { matches: path('/'), timeouts: { request: '3s' }, backendRefs: [{ group: '', kind: 'Service', name: APP, port: 80, weight: 1 }] },
      ],
    },
    list: 'rules',
    backends: 'backendRefs',
    sidesIn: ({ backendRefs }) => Object.fromEntries(backendRefs.map(({ name, weight }: Raw) => [name, weight])),
  },
  VirtualService: {
    spec: { provider: 'istio', service: { ...service, gateways: ['edge/public'], hosts: ['shop.example.org'] } },
    ref: { apiVersion: 'networking.istio.io/v1beta1', kind: 'VirtualService', name: APP, namespace: NAMESPACE },
    route: {
      ...{ hosts: ['shop.example.org'], gateways: ['edge/public', 'mesh'], exportTo: ['.'] },
      http: [
        { match: [{ uri: { prefix: '/static' } }], route: [{ destination: { host: 'static' } }] },
        { timeout: '3s', route: [{ destination: { host: APP } }] },
      ],
    },
    list: 'http',
    sidesIn: ({ route }) => Object.fromEntries(route.map(({ destination, weight }: Raw) => [destination.host, weight])),
  },
  HTTPProxy: {
    spec: { provider: 'contour', service },
    ref: { apiVersion: 'projectcontour.io/v1', kind: 'HTTPProxy', name: APP, namespace: NAMESPACE },
    route: {
      virtualhost: { fqdn: 'shop.example.org' },
      routes: [
        { conditions: [{ prefix: '/static' }], services: [{ name: 'static', port: 80 }] },
        { conditions: [{ prefix: '/' }], enableWebsockets: true, services: [{ name: APP, port: 80 }] },
      ],
    },
    list: 'routes',
    backends: 'services',
    sidesIn: ({ services }) => Object.fromEntries(services.map(({ name, weight }: Raw) => [name, weight])),
  },
};

const isInitialized = (lab: ModelLab) => lab.phase() === 'Initialized' && raw(lab.server.find(targetRef))?.spec.replicas === 0;

it.each(Object.entries(kinds))('a %s that is written whole stays so, until its annotation has it split', async (kind, each) => {
  const { lab } = labOf({ seed: 7, provider: 'istio', delayMs: 2_000, plan: 0, hasService: true });
  await lab.application(true);
  const { apiVersion } = each.ref;
  // Like a route that an earlier version has taken over, and like a route that is handed over now.
  const metadata = { name: APP, namespace: NAMESPACE, labels: { team: 'a' }, annotations: { 'serin.dev/adopt': 'true' } };
  lab.server.create({ apiVersion, kind, metadata, spec: structuredClone(each.route) } as KubeObject);
  lab.server.create(aModelCanary({ stepWeight: 25, maxWeight: 50, interval: '30s' }, each.spec));
  lab.start();
  expect(await lab.passUntil(() => isInitialized(lab), 300_000)).toBe(true);
  lab.server.patch(each.ref, { metadata: { annotations: { 'serin.dev/adopt': null } } });
  await lab.pass(60_000);
  const live = () => raw(lab.server.find(each.ref));
  const [first, app] = each.route[each.list];
  const rules = (): Raw[] => live().spec[each.list];
  expect(rules()).not.toContainEqual(first);
  lab.push('2');
  expect(await lab.passUntil(() => each.sidesIn(rules()[0])[`${APP}-canary`] === 25, 300_000)).toBe(true);

  // Istio's proxies know all Services.
  const traffic = each.backends === undefined ? undefined : routeTraffic(lab, { kind, list: each.list, backends: each.backends });
  traffic?.asUser(() => lab.server.patch(each.ref, { metadata: { labels: { team: 'a', seen: 'yes' } } }));
  await lab.pass(1_000);
  lab.server.patch(each.ref, { metadata: { annotations: { 'serin.dev/split': 'true' } } });
  expect(await lab.passUntil(() => rules().some((rule) => JSON.stringify(rule) === JSON.stringify(first)), 30_000)).toBe(true);
  await lab.pass(INTRODUCED_FOR_MS);
  // Istio's proxies know all Services; others must not forget the apex (DF867).
  const kept = kind === 'VirtualService' ? {} : { [APP]: 0 };
  expect(each.sidesIn(rules()[1])).toEqual({ [`${APP}-primary`]: 75, [`${APP}-canary`]: 25, ...kept });
  expect(live().spec).toEqual({ ...each.route, [each.list]: [first, { ...app, ...rules()[1] }] });
  expect(live().metadata.ownerReferences).toBeUndefined();
  expect(live().metadata).toMatchObject({ labels: { team: 'a' }, annotations: { 'serin.dev/split': 'true' } });
  expect(Object.keys(live().metadata.annotations)).toEqual(['serin.dev/split']);
  expect(await lab.passUntil(() => lab.phase() === 'Succeeded', 600_000)).toBe(true);
  expect(traffic?.lost ?? []).toEqual([]);
  await lab.pass(60_000);
  const idle = lab.writes.length;
  await lab.pass(300_000);
  expect(lab.writes.slice(idle)).toEqual([]);
  await deleteCanary(lab);
  expect(live().spec).toEqual(each.route);
});
