import { describe, expect, it } from 'vitest';
import { aCanary } from '../../test/fakes/world.ts';
import { gatewayEntries, hostEntries, parseAllowList } from './allow-list.ts';
import type { Provider } from './canary.ts';
import { foreignRoutes } from './foreign-routes.ts';

type Service = Record<string, unknown>;
interface Limits {
  flag?: boolean;
  hosts?: string[];
  gateways?: string[];
}

/** Paths of the fields that are refused to a Canary of namespace `test`. */
function refused(
  service: Service,
  { flag = true, hosts = [], gateways = [] }: Limits = {},
  provider: Provider = 'istio',
  namespace = 'test',
) {
  const allowedHosts = parseAllowList(hosts, hostEntries);
  const allowedGateways = parseAllowList(gateways, gatewayEntries);
  if ('problem' in allowedHosts) throw new Error(allowedHosts.problem);
  if ('problem' in allowedGateways) throw new Error(allowedGateways.problem);
  const canary = aCanary({}, { service: { port: 80, ...service } });
  const limits = { noCrossNamespaceRefs: flag, allowedHosts, allowedGateways };
  return foreignRoutes({ ...canary, metadata: { ...canary.metadata, namespace } }, provider, limits).map(({ path }) => path);
}

const EDGE = 'istio-system/edge';
const onEdge = { gateways: [EDGE] };

describe('hosts of an Istio route', () => {
  it.each([
    'api',
    'podinfo',
    'api.test',
    'api.test.svc',
    'api.test.svc.cluster.local',
    'api.test.svc.clusterset.local',
    '*.test.svc',
    'API.Test.SVC',
  ])('DF615: %s is a Service of namespace test in the mesh', (host) => expect(refused({ hosts: [host] })).toEqual([]));

  it.each([
    ...['api.other', 'api.other.svc', 'api.other.svc.cluster.local', 'API.OTHER', 'api.test.svc.example.com', 'pod.api.test.svc'],
    ...['api.other.', 'api.test.', 'api.', '.', '..', '', ' ', 'api.test ', ' api', 'api.other:80', 'api:80', '10.0.0.1', '[::1]'],
    ...[
      '*',
      '*.other',
      '*.test',
      '*.local',
      '*.svc.cluster.local',
      '*.other.svc.cluster.local',
      '*.com',
      '**',
      '*.*',
      '*api',
      '*-api.test',
      'api.*',
    ],
    ...[
      'shop.example.com',
      'xn--bcher-kva.example',
      'bücher.example',
      'api.othe\u212a',
      'ａpi',
      'api\u3002test',
      'api\u0000.test',
      'api/test',
      'other/api',
    ],
    'a'.repeat(64),
    `${'a.'.repeat(130)}test`,
  ])('DF615: %j is refused in the mesh', (host) => expect(refused({ hosts: ['podinfo', host] })).toEqual(['spec.service.hosts[1]']));

  it.each(['api.test', '*.test', 'com.test'])(
    'DF615: %s on a gateway can be a domain of the internet, as of a namespace called dev',
    (host) => {
      const gateways = [`*=${EDGE}`];
      expect(refused({ ...onEdge, hosts: [host] }, { gateways })).toEqual(['spec.service.hosts[0]']);
      expect(refused({ ...onEdge, hosts: ['api.test.svc', 'api'] }, { gateways })).toEqual([]);
    },
  );

  const hosts = ['test=*.a.example.com,a.example.com', '*=shared.example.com', 'other=other.example.com'];
  it.each([
    ...[['x.a.example.com', true] as const, ['y.x.a.example.com', true] as const, ['*.a.example.com', true] as const],
    ...[['*.x.a.example.com', true] as const, ['a.example.com', true] as const, ['A.Example.COM', true] as const],
    ...[['shared.example.com', true] as const, ['x.shared.example.com', false] as const, ['*.shared.example.com', false] as const],
    ...[['other.example.com', false] as const, ['example.com', false] as const, ['*.example.com', false] as const, ['*', false] as const],
    ...[['xa.example.com', false] as const, ['x.a.example.com.evil.com', false] as const, ['x.a.example.com.', false] as const],
    ...[['x.a.example.com:443', false] as const, ['*x.a.example.com', false] as const, ['.a.example.com', false] as const],
  ])('DF615: with an allow-list %s: %s', (host, isAllowed) => {
    for (const service of [{ hosts: [host] }, { ...onEdge, hosts: [host] }]) {
      const found = refused(service, { hosts, gateways: [`test=${EDGE}`] });
      expect(found).toEqual(isAllowed ? [] : ['spec.service.hosts[0]']);
    }
  });

  it('DF615: the entry * allows every host on gateways, and none in the mesh', () => {
    const allowed = { hosts: ['test=*'], gateways: [`test=${EDGE}`] };
    for (const host of ['*', 'shop.example.com', '*.example.com']) {
      expect(refused({ ...onEdge, hosts: [host] }, allowed)).toEqual([]);
      for (const gateways of [[EDGE, 'mesh'], ['mesh'], []])
        expect(refused({ gateways, hosts: [host] }, allowed)).toEqual(['spec.service.hosts[0]']);
      const match = [{ gateways: ['mesh'] }];
      expect(refused({ ...onEdge, match, hosts: [host] }, allowed)).toEqual(['spec.service.hosts[0]']);
    }
    expect(refused({ hosts: ['api.other.svc.cluster.local'] }, { hosts: ['test=*.svc.cluster.local'] })).toEqual([]);
  });

  it('DF615: a name of the Service with a dot in it is judged as a host', () => {
    expect(refused({ name: 'api.other' })).toEqual(['spec.service.name']);
    expect(refused({ name: 'api' })).toEqual([]);
  });
});

describe('gateways of an Istio route', () => {
  it.each(['mesh', 'edge', './edge', 'test/edge', 'edge.test', 'edge.test.svc.cluster.local', './mesh'])(
    'DF615: %s is of namespace test, or the mesh',
    (gateway) => expect(refused({ gateways: [gateway] })).toEqual([]),
  );

  it.each([
    ...['other/edge', 'edge.other', 'edge.other.svc.cluster.local', 'edge.infra', 'istio-system/edge2', 'istio-system/EDGE', 'Test/edge'],
    ...[
      'other/mesh',
      'mesh.other',
      '',
      ' ',
      '/',
      '/edge',
      'test/',
      './',
      '../edge',
      './../other/edge',
      'test/../other/edge',
      'other/edge/test',
    ],
    ...[
      'edge..other',
      '.edge',
      'edge.',
      '*',
      '*/edge',
      'test/*',
      'MESH',
      ' mesh',
      'mesh ',
      'mesh\n',
      'test/edge\u0000',
      '.test/edge',
      'test.other/edge',
    ],
  ])('DF615: %j is refused, with another one allowed', (gateway) => {
    const gateways = [`test=${EDGE}`, 'other=other/edge'];
    expect(refused({ gateways: ['mesh', gateway] }, { gateways })).toEqual(['spec.service.gateways[1]']);
  });

  it.each([EDGE, 'edge.istio-system', 'edge.istio-system.svc.cluster.local', 'edge.istio-system.svc.corp'])(
    'DF615: %s is the Gateway that is allowed, to this namespace or to all',
    (gateway) => {
      expect(refused({ gateways: [gateway] }, { gateways: [`test=${EDGE}`] })).toEqual([]);
      expect(refused({ gateways: [gateway] }, { gateways: [`*=${EDGE}`] })).toEqual([]);
      expect(refused({ gateways: [gateway] }, { gateways: [`other=${EDGE}`] })).toEqual(['spec.service.gateways[0]']);
      expect(refused({ gateways: [gateway] })).toEqual(['spec.service.gateways[0]']);
    },
  );

  it('DF615: gateways of a condition are also judged', () => {
    expect(refused({ match: [{}, { gateways: ['mesh', 'other/edge'] }] })).toEqual(['spec.service.match[1].gateways[1]']);
  });

  it('DF615: a delegate has neither hosts nor gateways, and the owner of its root decides', () => {
    expect(refused({ delegation: true })).toEqual([]);
  });
});

describe('routes of the Gateway API', () => {
  const gatewayApi = (gatewayRefs: object[], hosts: string[] | undefined, limits: Limits = {}) =>
    refused({ gatewayRefs, ...(hosts && { hosts }) }, limits, 'gatewayapi:v1');
  const edge = { name: 'edge', namespace: 'infra' };
  const limits = { hosts: ['test=*.a.example.com'], gateways: ['test=infra/edge'] };

  it.each([
    { what: 'the allowed Gateway', ref: edge, found: [] },
    { what: 'a listener of it', ref: { ...edge, sectionName: 'web' }, found: [] },
    { what: 'a port of it', ref: { ...edge, port: 443 }, found: [] },
    { what: 'a ListenerSet of that name', ref: { ...edge, kind: 'ListenerSet' }, found: [] },
    { what: 'a Gateway of the namespace', ref: { name: 'own' }, found: [] },
    { what: 'another Gateway', ref: { name: 'edge2', namespace: 'infra' }, found: ['spec.service.gatewayRefs[0]'] },
    { what: 'its name elsewhere', ref: { name: 'edge', namespace: 'infra2' }, found: ['spec.service.gatewayRefs[0]'] },
    { what: 'a name with a slash', ref: { name: 'infra/edge' }, found: ['spec.service.gatewayRefs[0]'] },
    { what: 'a namespace in capitals', ref: { name: 'edge', namespace: 'Test' }, found: ['spec.service.gatewayRefs[0]'] },
    { what: 'another kind elsewhere', ref: { ...edge, kind: 'ServiceEntry' }, found: ['spec.service.gatewayRefs[0]'] },
    { what: 'a Service elsewhere', ref: { ...edge, kind: 'Service', group: '' }, found: ['spec.service.gatewayRefs[0]'] },
    { what: 'a Service of the namespace', ref: { name: 'podinfo', kind: 'Service', group: '' }, found: [] },
  ])('DF615: $what as parent', ({ ref, found }) => expect(gatewayApi([ref], ['x.a.example.com'], limits)).toEqual(found));

  it('DF615: a Service of another namespace is allowed as a host', () => {
    const ref = { kind: 'Service', group: '', ...edge };
    expect(gatewayApi([ref], undefined, { hosts: ['test=edge.infra.svc.cluster.local'] })).toEqual([]);
    expect(gatewayApi([ref], undefined, { hosts: ['test=*'] })).toEqual(['spec.service.gatewayRefs[0]']);
  });

  it('DF615: a route without hosts, or with *, takes every host of its Gateways', () => {
    expect(gatewayApi([{ name: 'own', kind: 'Mesh' }], undefined, limits)).toEqual(['spec.service.hosts']);
    for (const ref of [edge, { name: 'own' }]) {
      expect(gatewayApi([ref], undefined, limits)).toEqual(['spec.service.hosts']);
      expect(gatewayApi([ref], [], limits)).toEqual(['spec.service.hosts']);
      expect(gatewayApi([ref], ['x.a.example.com', '*'], limits)).toEqual(['spec.service.hosts[1]']);
      expect(gatewayApi([ref], undefined, { ...limits, hosts: ['*=*'] })).toEqual([]);
    }
  });

  it.each(['wiki', 'api.test', 'api.other', 'shop.example.com'])(
    'DF615: %s on a Gateway is refused, since names are not normalized',
    (host) => {
      expect(gatewayApi([edge], ['x.a.example.com', host], limits)).toEqual(['spec.service.hosts[1]']);
    },
  );
});

describe('other providers', () => {
  it('DF615: SMI splits take a host, in the mesh', () => {
    for (const provider of ['smi:v1alpha4', 'linkerd', 'osm'] as const) {
      expect(refused({ hosts: ['api.other'] }, { hosts: ['test=*'] }, provider)).toEqual(['spec.service.hosts[0]']);
      expect(refused({ hosts: ['podinfo'] }, {}, provider)).toEqual([]);
    }
    expect(refused({ gateways: ['other/edge'] }, {}, 'smi:v1alpha2')).toEqual(['spec.service.gateways[0]']);
  });

  it('DF615: App Mesh exposes hosts at its gateway', () => {
    for (const provider of ['appmesh', 'appmesh:v1beta2'] as const) {
      expect(refused({ hosts: ['shop.example.com'] }, {}, provider)).toEqual(['spec.service.hosts[0]']);
      expect(refused({ hosts: ['shop.example.com'] }, { hosts: ['test=*.example.com'] }, provider)).toEqual([]);
    }
  });

  it.each(['apisix', 'contour', 'gloo', 'knative', 'kubernetes', 'kuma', 'nginx', 'none', 'skipper', 'traefik'] as const)(
    'DF615: %s reads neither hosts nor gateways',
    (provider) => expect(refused({ hosts: ['*'], gateways: ['other/edge'] }, {}, provider)).toEqual([]),
  );
});

it('DF615: a list that is set counts without the flag, for every namespace, and the other list allows everything', () => {
  const service = { gateways: ['other/edge'], hosts: ['shop.example.com'] };
  expect(refused(service, { flag: false })).toEqual([]);
  expect(refused(service, { flag: false, hosts: ['team=x.example.com'] })).toEqual(['spec.service.hosts[0]']);
  expect(refused(service, { flag: false, gateways: ['team=other/edge'] })).toEqual(['spec.service.gateways[0]']);
  expect(refused(service, { hosts: ['constructor=x.example.com'] }, 'istio', 'constructor')).toEqual([
    'spec.service.hosts[0]',
    'spec.service.gateways[0]',
  ]);
});
