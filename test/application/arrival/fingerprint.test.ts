import { describe, expect, it } from 'vitest';
import type { KubeObject, Labels } from '../../../src/api/kube-object.ts';
import { fingerprint, lossesIn } from './fingerprint.ts';
import { hostOf, meshRoutes, protocolOf, rulesFor, trafficPolicyFor } from './istio-lookup.ts';
import { selects, selectsByMap } from './label-selector.ts';
import { admits, type Destination, type Peer } from './network-policy.ts';
import type { Application } from './seen.ts';
import { objectsOf, type Part, type World } from './world.ts';

const object = (kind: string, spec: object, name = 'one', namespace = 'test'): KubeObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name, namespace },
  spec,
});
const pod = (labels: Labels, namespace = 'test', namespaceLabels: Labels = {}): Peer => ({
  name: JSON.stringify(labels),
  pod: { namespace, namespaceLabels, labels },
  address: '10.244.0.1',
});
const shop = pod({ app: 'shop' });
const web = pod({ app: 'web' });
const at = (peer: Peer, port: number, protocol = 'TCP'): Destination => ({
  ...peer,
  port,
  protocol,
  ports: [{ name: 'web', number: 8080, protocol: 'TCP' }],
});

describe('a label selector', () => {
  it.each([
    [{}, true],
    [null, false],
    [{ matchLabels: { app: 'shop' } }, true],
    [{ matchLabels: { app: 'till' } }, false],
    [{ matchLabels: null }, true],
    [{ matchExpressions: [{ key: 'app', operator: 'In', values: ['shop', 'till'] }] }, true],
    [{ matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['shop'] }] }, false],
    [{ matchExpressions: [{ key: 'none', operator: 'NotIn', values: ['shop'] }] }, true],
    [{ matchExpressions: [{ key: 'app', operator: 'Exists' }] }, true],
    [{ matchExpressions: [{ key: 'none', operator: 'Exists' }] }, false],
    [{ matchExpressions: [{ key: 'app', operator: 'DoesNotExist' }] }, false],
    [{ matchLabels: { app: 'shop' }, matchExpressions: [{ key: 'none', operator: 'Exists' }] }, false],
  ])('%j selects app=shop: %s', (selector, isSelected) => {
    expect(selects(selector, { app: 'shop' })).toBe(isSelected);
  });

  it('of a Service selects nothing where it is empty', () => {
    expect(selectsByMap({}, { app: 'shop' })).toBe(false);
    expect(selectsByMap({ app: 'shop' }, { app: 'shop', tier: 'backend' })).toBe(true);
  });
});

describe('NetworkPolicies', () => {
  const ofShop = (spec: object): KubeObject => object('NetworkPolicy', { podSelector: { matchLabels: { app: 'shop' } }, ...spec });
  const isAdmitted = (policies: readonly KubeObject[], from: Peer, to: Destination): boolean => admits(policies, from, to).isAdmitted;

  it('let everything through that no policy selects', () => {
    expect(isAdmitted([], web, at(shop, 8080))).toBe(true);
    expect(isAdmitted([ofShop({})], shop, at(web, 1))).toBe(true);
  });

  it.each([
    ['no rules', {}, false],
    ['an empty list of rules', { ingress: [] }, false],
    ['a rule about all', { ingress: [{}] }, true],
    ['the peer', { ingress: [{ from: [{ podSelector: { matchLabels: { app: 'web' } } }] }] }, true],
    ['another peer', { ingress: [{ from: [{ podSelector: { matchLabels: { app: 'till' } } }] }] }, false],
    ['a namespace', { ingress: [{ from: [{ namespaceSelector: { matchLabels: { team: 'a' } } }] }] }, false],
    ['all namespaces', { ingress: [{ from: [{ namespaceSelector: {} }] }] }, true],
    [
      'a pod of another namespace',
      { ingress: [{ from: [{ namespaceSelector: { matchLabels: { team: 'a' } }, podSelector: {} }] }] },
      false,
    ],
    ['the port', { ingress: [{ ports: [{ port: 8080 }] }] }, true],
    ['the name of the port', { ingress: [{ ports: [{ port: 'web' }] }] }, true],
    ['another name', { ingress: [{ ports: [{ port: 'metrics' }] }] }, false],
    ['a range', { ingress: [{ ports: [{ port: 8000, endPort: 8100 }] }] }, true],
    ['a range beside it', { ingress: [{ ports: [{ port: 8000, endPort: 8079 }] }] }, false],
    ['another protocol', { ingress: [{ ports: [{ protocol: 'UDP', port: 8080 }] }] }, false],
    ['all ports of a protocol', { ingress: [{ ports: [{ protocol: 'TCP' }] }] }, true],
    ['its addresses', { ingress: [{ from: [{ ipBlock: { cidr: '10.244.0.0/16' } }] }] }, true],
    ['its addresses but for its own', { ingress: [{ from: [{ ipBlock: { cidr: '10.0.0.0/8', except: ['10.244.0.0/24'] } }] }] }, false],
    ['egress alone', { policyTypes: ['Egress'] }, true],
  ])('ingress by %s', (_, spec, expected) => {
    expect(isAdmitted([ofShop(spec)], web, at(shop, 8080))).toBe(expected);
  });

  it('are about egress where they have rules for it, or say so', () => {
    const db = pod({ app: 'db' });
    const toDb = { egress: [{ to: [{ podSelector: { matchLabels: { app: 'db' } } }] }] };
    expect(isAdmitted([ofShop(toDb)], shop, at(db, 1))).toBe(true);
    expect(isAdmitted([ofShop(toDb)], shop, at(web, 1))).toBe(false);
    expect(isAdmitted([ofShop({ policyTypes: ['Egress'] })], shop, at(db, 1))).toBe(false);
  });

  it('add up, and both ends have to agree', () => {
    const closed = ofShop({});
    const open = ofShop({ ingress: [{ from: [{ podSelector: { matchLabels: { app: 'web' } } }] }] });
    const ofWeb = object('NetworkPolicy', { podSelector: { matchLabels: { app: 'web' } }, policyTypes: ['Egress'] });
    expect(isAdmitted([closed, open], web, at(shop, 8080))).toBe(true);
    expect(isAdmitted([closed, open, ofWeb], web, at(shop, 8080))).toBe(false);
  });

  it('say whose they are', () => {
    const closed = ofShop({});
    expect(admits([closed], web, at(shop, 8080))).toEqual({ isAdmitted: false, by: [closed] });
  });
});

describe("Istio's lookup", () => {
  const rule = (name: string, host: string, spec: object, namespace = 'test') =>
    object('DestinationRule', { host, ...spec }, name, namespace);
  const host = 'shop.test.svc.cluster.local';
  const found = (...rules: KubeObject[]) => rulesFor(rules, host, 'test', 'test').map(({ metadata }) => metadata.name);

  it('completes short names', () => {
    expect(['shop', 'shop.test', 'shop.test.svc', host].map((one) => hostOf(one, 'test'))).toEqual([host, host, host, host]);
    expect(hostOf('example.com.', 'test')).not.toBe(host);
  });

  it('takes the most specific host, and the namespace before the root', () => {
    const root = rule('root', '*.local', {}, 'istio-system');
    const wide = rule('wide', '*.test.svc.cluster.local', {});
    expect(found(root)).toEqual(['root']);
    expect(found(root, wide)).toEqual(['wide']);
    expect(found(root, wide, rule('own', 'shop', {}))).toEqual(['own']);
    expect(found({ ...root, spec: { host: '*.local', exportTo: ['.'] } })).toEqual([]);
  });

  it('puts settings of a port and of a subset in the place of the others', () => {
    const trafficPolicy = { tls: { mode: 'SIMPLE' }, portLevelSettings: [{ port: { number: 80 }, loadBalancer: { simple: 'RANDOM' } }] };
    const subsets = [{ name: 'v1', labels: { version: 'v1' }, trafficPolicy: { tls: { mode: 'DISABLE' } } }];
    const rules = [rule('own', 'shop', { trafficPolicy, subsets })];
    expect(trafficPolicyFor(rules, 80, undefined).policy).toEqual({ loadBalancer: { simple: 'RANDOM' } });
    expect(trafficPolicyFor(rules, 81, 'v1')).toEqual({ policy: { tls: { mode: 'DISABLE' } }, subset: { version: 'v1' } });
    expect(trafficPolicyFor(rules, 81, 'v2').subset).toBeUndefined();
  });

  it('leads requests of the mesh to destinations with a weight, by protocol and port', () => {
    const to = (name: string, weight: number) => ({ destination: { host: name }, weight });
    const http = [{ match: [{ port: 80 }], route: [to('shop-primary', 100), to('shop-canary', 0)] }];
    const virtual = object('VirtualService', { hosts: ['shop'], http });
    const routes = (port: number, protocol?: string) => meshRoutes([virtual], { host, namespace: 'test', port, protocol });
    expect(routes(80)).toEqual([{ host: 'shop-primary.test.svc.cluster.local' }]);
    expect(routes(81)).toBeUndefined();
    expect(routes(80, 'tcp')).toBeUndefined();
  });

  it('reads the protocol of a port', () => {
    expect([{ name: 'http-web' }, { name: 'web' }, { name: 'web', appProtocol: 'grpc' }].map(protocolOf)).toEqual([
      'http',
      undefined,
      'grpc',
    ]);
  });
});

describe('a fingerprint', () => {
  const world: World = {
    seed: 0,
    provider: 'istio',
    labels: 'app',
    apexName: undefined,
    hasPortDiscovery: false,
    targetPort: 'web',
    ending: 'success',
    killedAfterMs: undefined,
    parts: [],
  };
  const app: Application = { namespace: 'test', target: 'shop', apex: 'shop', port: 80, hasMesh: true };
  const ready = (object: KubeObject): KubeObject =>
    object.kind === 'Deployment' ? { ...object, status: { availableReplicas: 2 } } : object;
  const of = (parts: readonly Part[], change: (objects: KubeObject[]) => KubeObject[] = (all) => all) =>
    fingerprint(change(objectsOf({ ...world, parts }).map(ready)), app);
  const kinds = (parts: readonly Part[], change: (objects: KubeObject[]) => KubeObject[]) => [
    ...new Set(lossesIn(of(parts), of(parts, change)).map(({ kind }) => kind)),
  ];
  const named = ({ metadata: { name }, kind }: KubeObject, what: string): boolean => `${kind}/${name}` === what;

  it('says who answers, by the number of the pod', () => {
    expect(of([]).facts.get('who answers at Service/shop:80/TCP')?.value).toBe('application:8080');
    expect(of([]).facts.get('who answers at Service/db:5432/TCP')?.value).toBe('db:5432');
  });

  it('is the same if the primary replaces the target', () => {
    const primary = (all: KubeObject[]) =>
      all.map((one) => {
        if (named(one, 'Service/shop')) return { ...one, spec: { ...(one.spec as object), selector: { app: 'shop-primary' } } };
        if (!named(one, 'Deployment/shop')) return one;
        const text = JSON.stringify(one)
          .replaceAll('"app":"shop"', '"app":"shop-primary"')
          .replace('"name":"shop"', '"name":"shop-primary"');
        return JSON.parse(text);
      });
    expect(kinds([], primary)).toEqual([]);
    expect(kinds([{ is: 'PodDisruptionBudget', by: 'kept', spec: {} }], primary)).toEqual([]);
    expect(kinds([{ is: 'PodDisruptionBudget', by: 'own', spec: {} }], primary)).toEqual(['PDB']);
    expect(kinds([{ is: 'isolation', by: 'own', from: 'web', byName: false }], primary)).toEqual(['NetworkPolicy']);
    expect(kinds([{ is: 'peer', of: 'db', by: 'own' }], primary)).toEqual(['peer']);
    expect(kinds([{ is: 'further Service', name: 'admin', by: 'own', isHeadless: false }], primary)).toEqual(['further Service']);
    expect(kinds([{ is: 'shared apex' }], primary)).toEqual(['shared Service']);
    expect(kinds([{ is: 'VerticalPodAutoscaler' }], primary)).toEqual(['VPA']);
  });

  it('notices what selects more than before', () => {
    const second = object('PodDisruptionBudget', { selector: { matchLabels: { tier: 'backend' } } }, 'second');
    const budget: Part = { is: 'PodDisruptionBudget', by: 'own', spec: { minAvailable: 1 } };
    expect(kinds([budget], (all) => [...all, second])).toEqual(['PDB']);
    const closed = object('NetworkPolicy', { podSelector: {} }, 'closed');
    expect(kinds([], (all) => [...all, closed])).toContain('NetworkPolicy');
  });

  it('does not hold a port that no Service has any more against policies', () => {
    const onePort = (all: KubeObject[]): KubeObject[] =>
      all.map((one) => {
        if (!named(one, 'Service/shop')) return one;
        const spec = one.spec as { ports: object[] };
        return { ...one, spec: { ...spec, ports: spec.ports.slice(0, 1) } };
      });
    expect(kinds([{ is: 'second port', name: 'admin' }], onePort)).not.toContain('NetworkPolicy');
    const withoutDb = (all: KubeObject[]): KubeObject[] => all.filter((one) => !named(one, 'Deployment/db'));
    expect(kinds([], withoutDb)).toContain('NetworkPolicy');
  });

  it('notices Services that lead to the target beside the routes', () => {
    const sides = (all: KubeObject[]): KubeObject[] =>
      all.flatMap((one) => {
        if (named(one, 'Service/shop')) return [{ ...one, spec: { ...(one.spec as object), selector: { app: 'shop-primary' } } }];
        if (!named(one, 'Deployment/shop')) return [one];
        const text = JSON.stringify(one)
          .replaceAll('"app":"shop"', '"app":"shop-primary"')
          .replace('"name":"shop"', '"name":"shop-primary"');
        return [one, JSON.parse(text)];
      });
    expect(of([{ is: 'further Service', name: 'admin', by: 'kept', isHeadless: false }], sides).besideRoutes).toEqual(['Service/admin']);
    expect(of([], sides).besideRoutes).toEqual([]);
  });
});
