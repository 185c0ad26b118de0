import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../api/kube-object.ts';
import { endpointsOf } from './endpoints.ts';
import { laggedView } from './lagged-view.ts';
import { seededRandom } from './random.ts';
import { type MeshRequest, parseHost } from './request.ts';
import { routeByTrafficSplit } from './traffic-split.ts';

interface Port {
  name?: string;
  port: number;
  targetPort?: number;
}
const ports: Port[] = [{ name: 'http', port: 80 }];

/** A Service and its slice, with as many ready endpoints. */
const service = (name: string, has: { ports?: Port[]; endpoints?: number; ready?: boolean } = {}): KubeObject[] => {
  const mine = has.ports ?? ports;
  const { endpoints = 1, ready = true } = has;
  return [
    { apiVersion: 'v1', kind: 'Service', metadata: { name, namespace: 'prod' }, spec: { ports: mine } },
    {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { name: `${name}-1`, namespace: 'prod', labels: { 'kubernetes.io/service-name': name } },
      ports: mine.map(({ name, port, targetPort = port }) => ({ name, port: targetPort })),
      endpoints: Array.from({ length: endpoints }, (_, index) => ({ addresses: [`10.0.0.${index}`], conditions: { ready } })),
    },
  ];
};
const split = (backends: Record<string, string | number>, spec: object = {}, version = 'v1alpha4', name = 'shop'): KubeObject => ({
  apiVersion: `split.smi-spec.io/${version}`,
  kind: 'TrafficSplit',
  metadata: { name, namespace: 'prod' },
  spec: { service: 'shop', backends: Object.entries(backends).map(([service, weight]) => ({ service, weight })), ...spec },
});
const group = (name: string, matches: object[]): KubeObject => ({
  apiVersion: 'specs.smi-spec.io/v1alpha4',
  kind: 'HTTPRouteGroup',
  metadata: { name, namespace: 'prod' },
  spec: { matches },
});
const viewOf = (...objects: (KubeObject | KubeObject[])[]) => {
  const view = laggedView(() => 0);
  for (const object of objects.flat()) view.hear(object.kind, { next: object });
  return view;
};
const request = (headers: Record<string, string> = {}, other: { host?: string; url?: string; method?: string } = {}): MeshRequest => ({
  method: other.method ?? 'GET',
  url: other.url ?? '/',
  headers,
  host: parseHost(other.host ?? 'shop.prod', 'default'),
  gateway: 'mesh',
  sourceLabels: {},
});
const three = [service('shop'), service('blue'), service('green')];

/** Backends that many requests reach, each with its part of a hundred. */
function shares(view: ReturnType<typeof viewOf>, asked = request(), requests = 4000): Record<string, number> {
  const random = seededRandom(7);
  const counts: Record<string, number> = {};
  for (let index = 0; index < requests; index += 1) {
    const route = routeByTrafficSplit(view, asked)?.(random);
    const name = route === undefined ? 'root' : 'destination' in route ? route.destination.name : String(route.status);
    counts[name] = (counts[name] ?? 0) + 100 / requests;
  }
  return counts;
}

describe('TrafficSplit, as its specification has it', () => {
  it.each(['shop.prod', 'shop.prod.svc', 'shop.prod.svc.cluster.local:80'])(
    '%s is the root, and other Services are no part of it',
    (host) => {
      const view = viewOf(...three, split({ blue: 1 }, { service: 'shop.prod.svc.cluster.local' }));
      expect(shares(view, request({}, { host }), 10)).toEqual({ blue: expect.closeTo(100) });
      for (const other of ['blue.prod', 'shop.elsewhere', 'shop.prod2', 'shop.example.org'])
        expect(shares(view, request({}, { host: other }), 10)).toEqual({ root: expect.closeTo(100) });
    },
  );

  it('requests are divided by weight', () => {
    const { blue = 0, green = 0 } = shares(viewOf(...three, split({ blue: 90, green: 10 })));
    expect(blue + green).toBeCloseTo(100);
    expect(Math.abs(green - 10)).toBeLessThan((4 * 100 * Math.sqrt(0.1 * 0.9)) / Math.sqrt(4000));
  });

  it('weights are shares of their sum, and not of a hundred; 0 is nothing', () => {
    const { blue = 0 } = shares(viewOf(...three, split({ blue: 1000, green: 500 })));
    expect(Math.abs(blue - 66.7)).toBeLessThan(3);
    expect(shares(viewOf(...three, split({ green: 1 })))).toEqual({ green: expect.closeTo(100) });
    expect(shares(viewOf(...three, split({ blue: 0, green: 3 })))).toEqual({ green: expect.closeTo(100) });
    expect(shares(viewOf(...three, split({ blue: 0, green: 0 })), request(), 10)).toEqual({ '503': expect.closeTo(100) });
  });

  it('weights of v1alpha1 are quantities', () => {
    expect(shares(viewOf(...three, split({ blue: '0', green: '100m' }, {}, 'v1alpha1')))).toEqual({ green: expect.closeTo(100) });
    const { blue = 0 } = shares(viewOf(...three, split({ blue: '500m', green: '1' }, {}, 'v1alpha1')));
    expect(Math.abs(blue - 33.3)).toBeLessThan(3);
  });

  it('each backend is a Service with endpoints of its own, and the endpoints of the root are its own', () => {
    const view = viewOf(service('shop', { endpoints: 3 }), service('blue', { endpoints: 1 }), split({ blue: 1 }));
    const route = routeByTrafficSplit(view, request())?.(Math.random);
    if (!route || !('destination' in route)) throw new Error('no route');
    expect(endpointsOf(view, route.destination)).toHaveLength(1);
  });

  it('a backend without the port of the root, by number, gets nothing on it', () => {
    const other = service('blue', { ports: [{ name: 'http', port: 1024 }] });
    expect(shares(viewOf(service('shop'), other, service('green'), split({ blue: 50, green: 50 })))).toEqual({
      green: expect.closeTo(100),
    });
    expect(shares(viewOf(service('shop'), other, split({ blue: 1 })), request(), 10)).toEqual({ '503': expect.closeTo(100) });
  });

  it('each backend maps the port to a port of its own pods', () => {
    const grpc = (targetPort: number): Port[] => [{ name: 'grpc', port: 8080, targetPort }];
    const view = viewOf(
      service('birds', { ports: grpc(8080) }),
      service('blue-birds', { ports: grpc(8080) }),
      service('green-birds', { ports: grpc(8081) }),
      split({ 'green-birds': 1 }, { service: 'birds' }),
    );
    const route = routeByTrafficSplit(view, request({}, { host: 'birds.prod:8080' }))?.(Math.random);
    if (!route || !('destination' in route)) throw new Error('no route');
    expect(endpointsOf(view, route.destination)).toEqual([expect.objectContaining({ targetPort: 8081 })]);
    expect(endpointsOf(view, { ...route.destination, name: 'blue-birds' })).toEqual([expect.objectContaining({ targetPort: 8080 })]);
  });

  it('several ports are split by the same weights, each over the backends that have it', () => {
    const both = [
      { name: 'grpc', port: 8080 },
      { name: 'rest', port: 9090 },
    ];
    const view = viewOf(
      service('birds', { ports: both }),
      service('blue', { ports: both }),
      service('green', { ports: both.slice(1) }),
      split({ blue: 50, green: 50 }, { service: 'birds' }),
    );
    expect(shares(view, request({}, { host: 'birds.prod:8080' }))).toEqual({ blue: expect.closeTo(100) });
    const { blue = 0, green = 0 } = shares(view, request({}, { host: 'birds.prod:9090' }));
    expect(Math.abs(blue - 50)).toBeLessThan(4);
    expect(blue + green).toBeCloseTo(100);
  });

  it.each([
    { what: 'its Service does not exist', green: [] },
    { what: 'its Deployment does not exist', green: service('green', { endpoints: 0 }) },
  ])('a backend gets nothing as long as $what', ({ green }) => {
    expect(shares(viewOf(service('shop'), service('blue'), green, split({ blue: 50, green: 50 })))).toEqual({ blue: expect.closeTo(100) });
  });

  it('a backend whose endpoints are not ready keeps its share: its requests are lost, as with a real proxy', () => {
    const { green = 0 } = shares(
      viewOf(service('shop'), service('blue'), service('green', { ready: false }), split({ blue: 50, green: 50 })),
    );
    expect(Math.abs(green - 50)).toBeLessThan(4);
  });

  it('a backend that is the root of another split is not resolved further', () => {
    const inner = split({ green: 1 }, { service: 'blue' }, 'v1alpha4', 'inner');
    expect(shares(viewOf(...three, split({ blue: 1 }), inner))).toEqual({ blue: expect.closeTo(100) });
  });

  it('a split that names its own root splits nothing', () => {
    expect(shares(viewOf(...three, split({ shop: 900, green: 100 })), request(), 100)).toEqual({ root: expect.closeTo(100) });
  });

  it('matching clients reach the backends, and all others the Service of the root’s name', () => {
    const matches = [{ kind: 'HTTPRouteGroup', name: 'firefox' }];
    const view = viewOf(
      ...three,
      split({ blue: 0, green: 100 }, { matches }),
      group('firefox', [{ headers: { 'user-agent': '.*Firefox.*' } }]),
    );
    expect(shares(view, request({ 'user-agent': 'Mozilla Firefox 140' }), 50)).toEqual({ green: expect.closeTo(100) });
    expect(shares(view, request({ 'user-agent': 'curl' }), 50)).toEqual({ root: expect.closeTo(100) });
    expect(shares(view, request(), 50)).toEqual({ root: expect.closeTo(100) });
  });

  it('a group that is not found matches no request', () => {
    const matches = [{ kind: 'HTTPRouteGroup', name: 'absent' }];
    expect(shares(viewOf(...three, split({ green: 100 }, { matches })), request(), 50)).toEqual({ root: expect.closeTo(100) });
  });

  it('any match of any group will do', () => {
    const matches = ['beta', 'reads'].map((name) => ({ kind: 'HTTPRouteGroup', name }));
    const beta = group('beta', [{ headers: { user: '^a$' } }, { headers: { user: '^b$' } }]);
    const view = viewOf(...three, split({ green: 1 }, { matches }), beta, group('reads', [{ methods: ['PUT'] }]));
    for (const [headers, method] of [
      [{ user: 'a' }, 'GET'],
      [{ user: 'b' }, 'GET'],
      [{}, 'PUT'],
    ] as const)
      expect(shares(view, request(headers, { method }), 10)).toEqual({ green: expect.closeTo(100) });
    expect(shares(view, request({ user: 'c' }), 10)).toEqual({ root: expect.closeTo(100) });
  });

  it('path, methods and headers of one match hold together; header conditions are regular expressions', () => {
    const matches = [{ kind: 'HTTPRouteGroup', name: 'all' }];
    const entry = { name: 'all', pathRegex: '/api/.*', methods: ['GET', 'HEAD'], headers: { 'User-Agent': '.*Firefox.*', 'x-a': '1|2' } };
    const view = viewOf(...three, split({ green: 1 }, { matches }), group('all', [entry]));
    const fits = { 'user-agent': 'a Firefox', 'x-a': '2' };
    expect(shares(view, request(fits, { url: '/api/cart?x=1' }), 10)).toEqual({ green: expect.closeTo(100) });
    for (const [headers, other] of [
      [fits, { url: '/other/api/' }],
      [fits, { url: '/api/cart', method: 'POST' }],
      [{ ...fits, 'x-a': '3' }, { url: '/api/cart' }],
      [{ 'x-a': '1' }, { url: '/api/cart' }],
    ] as const)
      expect(shares(view, request(headers, other), 10)).toEqual({ root: expect.closeTo(100) });
    const any = viewOf(...three, split({ green: 1 }, { matches }), group('all', [{ methods: ['*'] }]));
    expect(shares(any, request({}, { method: 'DELETE' }), 10)).toEqual({ green: expect.closeTo(100) });
  });
});
