import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../api/kube-object.ts';
import { createMetrics } from './exposition.ts';
import { ingressRoute, routeByIngressRoute } from './ingress-route.ts';
import { type LaggedView, laggedView } from './lagged-view.ts';
import { seededRandom } from './random.ts';
import { type MeshRequest, parseHost } from './request.ts';
import { parseRule } from './traefik-rule.ts';

const request = (url = '/', headers: Record<string, string> = {}, host = 'shop.example.org'): MeshRequest => ({
  method: 'GET',
  url,
  headers,
  host: parseHost(host, 'default'),
  gateway: 'mesh',
  sourceLabels: {},
});
const object = (apiVersion: string, kind: string, name: string, rest: object): KubeObject => ({
  apiVersion,
  kind,
  metadata: { name, namespace: 'prod' },
  ...rest,
});
const serving = (name: string, ready = true): KubeObject[] => [
  object('v1', 'Service', name, { spec: { ports: [{ name: 'http', port: 80 }] } }),
  {
    ...object('discovery.k8s.io/v1', 'EndpointSlice', `${name}-1`, {
      endpoints: [{ addresses: ['10.0.0.1'], conditions: { ready } }],
      ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
    }),
    metadata: { name: `${name}-1`, namespace: 'prod', labels: { 'kubernetes.io/service-name': name } },
  },
];
const traefikService = (name: string, spec: object) => object('traefik.io/v1alpha1', 'TraefikService', name, { spec });
const weighted = (...services: object[]) =>
  traefikService('shop', { weighted: { services: services.map((one) => ({ port: 80, ...one })) } });
const rule = (match: string, service: object = { kind: 'TraefikService', name: 'shop' }, more: object = {}) =>
  object('traefik.io/v1alpha1', 'IngressRoute', `route-${match}`, {
    spec: { routes: [{ kind: 'Rule', match, services: [service], ...more }] },
  });
const host = 'Host(`shop.example.org`)';
const viewOf = (...objects: KubeObject[]): LaggedView => {
  const view = laggedView(() => 0);
  for (const next of objects) view.hear(next.kind, { next });
  return view;
};
const nameOf = (view: LaggedView, asked = request(), random = seededRandom(3)) => {
  const route = routeByIngressRoute(view, asked)?.(random);
  return route && 'destination' in route ? route.destination.name : route?.status;
};

describe('rules of an IngressRoute', () => {
  it.each([
    { text: 'PathPrefix(`/a`) && !Header(`x-user`, "be\\"ta")', yes: request('/ab'), no: request('/a', { 'x-user': 'be"ta' }) },
    { text: 'Path(`/a`) || Path(`/b`) && Method(`get`)', yes: request('/b?x=1'), no: request('/a/b') },
    { text: '(Path(`/a`) || Path(`/b`)) && Query(`x`, `1`)', yes: request('/a?x=1'), no: request('/a') },
    { text: 'HeaderRegexp(`Cookie`, `(^|; )x=1`)', yes: request('/', { cookie: 'y=2; x=1' }), no: request('/', { cookie: 'yx=1' }) },
    { text: 'Host(`a.org`, `SHOP.example.org`)', yes: request(), no: request('/', {}, 'b.org') },
  ])('$text', ({ text, yes, no }) => {
    expect(parseRule(text)?.matches(yes)).toBe(true);
    expect(parseRule(text)?.matches(no)).toBe(false);
  });
  it.each(['', 'Host(`a`', 'Host(`a`) &&', 'Host(`a`) Path(`/`)', 'ClientIP(`10.0.0.0/8`)', 'Host(a)'])('%j makes no router', (text) =>
    expect(parseRule(text)).toBeUndefined(),
  );
});

describe('IngressRoute', () => {
  const sides = [...serving('shop-primary'), ...serving('shop-canary')];

  it('shares requests by weight, within four standard deviations, and takes a missing weight for 1', () => {
    const view = viewOf(...sides, rule(host), weighted({ name: 'shop-primary' }, { name: 'shop-canary', weight: 3 }));
    const random = seededRandom(5);
    const canary = Array.from({ length: 4000 }, () => nameOf(view, request(), random)).filter((name) => name === 'shop-canary').length;
    expect(Math.abs(canary - 3000)).toBeLessThan(4 * Math.sqrt(4000 * 0.75 * 0.25));
  });

  it('one service without ready endpoints takes the whole TraefikService along, even at weight 0', () => {
    const half = [...serving('shop-primary'), ...serving('shop-canary', false)];
    const both = weighted({ name: 'shop-primary', weight: 100 }, { name: 'shop-canary', weight: 0 });
    expect(nameOf(viewOf(...half, rule(host), both))).toBe(404);
    expect(nameOf(viewOf(...half, rule(host), weighted({ name: 'shop-primary', weight: 100 })))).toBe('shop-primary');
  });

  it('prefers the longer rule, or the rule of higher priority, among rules that can be built', () => {
    const direct = { name: 'shop-canary', port: 'http' };
    const rules = (more: object) => [rule(host), rule(`${host} && PathPrefix(\`/beta\`)`, direct, more)];
    const primary = weighted({ name: 'shop-primary' });
    expect(nameOf(viewOf(...sides, ...rules({}), primary), request('/beta'))).toBe('shop-canary');
    expect(nameOf(viewOf(...sides, ...rules({ priority: 1 }), primary), request('/beta'))).toBe('shop-primary');
    expect(nameOf(viewOf(...sides, ...rules({ services: [{ ...direct, port: 81 }] }), primary), request('/beta'))).toBe('shop-primary');
  });

  it('speaks of hosts that it names and of no others, in its own namespace', () => {
    const view = viewOf(...sides, rule(host, { name: 'shop-primary', namespace: 'elsewhere', port: 80 }));
    expect(nameOf(view)).toBe(404);
    expect(routeByIngressRoute(view, request('/', {}, 'other.example.org'))).toBeUndefined();
  });

  it('mirrors the configured percentage; weighted counts where both are given', () => {
    const mirroring = { name: 'shop-primary', port: 80, mirrors: [{ name: 'shop-canary', port: 80, percent: 100 }] };
    const mirrored = routeByIngressRoute(viewOf(...sides, rule(host), traefikService('shop', { mirroring })), request())?.(Math.random);
    expect(mirrored).toMatchObject({ destination: { name: 'shop-primary' }, mirrors: [{ name: 'shop-canary' }] });
    const both = traefikService('shop', { mirroring, weighted: { services: [{ name: 'shop-primary', port: 80 }] } });
    expect(routeByIngressRoute(viewOf(...sides, rule(host), both), request())?.(Math.random)).toMatchObject({ mirrors: [] });
  });

  it('counts under the names that Traefik gives its services', () => {
    const route = routeByIngressRoute(viewOf(...sides, rule(host), weighted({ name: 'shop-canary' })), request())?.(Math.random);
    if (!route || !('destination' in route)) throw new Error('no route');
    const metrics = createMetrics({ ...ingressRoute.histograms });
    route.count?.(metrics, { destination: route.destination, status: 200, isProxyError: false, method: 'GET', path: '/', durationMs: 40 });
    expect(metrics.text()).toContain('code="200",method="GET",protocol="http",service="prod-shop-canary-80@kubernetescrd"} 1');
    expect(metrics.text()).toContain('traefik_service_request_duration_seconds_sum');
  });
});
