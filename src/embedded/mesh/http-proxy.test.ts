import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../api/kube-object.ts';
import { createMetrics } from './exposition.ts';
import { httpProxy, routeByHttpProxy } from './http-proxy.ts';
import { type LaggedView, laggedView } from './lagged-view.ts';
import { seededRandom } from './random.ts';
import { type MeshRequest, parseHost } from './request.ts';

const request = (url = '/', headers: Record<string, string> = {}, host = 'shop.example.org'): MeshRequest => ({
  method: 'GET',
  url,
  headers,
  host: parseHost(host, 'default'),
  gateway: 'mesh',
  sourceLabels: {},
});
const proxy = (name: string, spec: object): KubeObject => ({
  apiVersion: 'projectcontour.io/v1',
  kind: 'HTTPProxy',
  metadata: { name, namespace: 'prod' },
  spec,
});
const service = (name: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace: 'prod' },
  spec: { ports: [{ port: 80 }] },
});
const root = (spec: object = {}) => proxy('root', { virtualhost: { fqdn: 'shop.example.org' }, includes: [{ name: 'shop' }], ...spec });
const to = (name: string, more: object = {}) => ({ name, port: 80, ...more });
const primary = (more: object = {}) => ({ services: [to('shop-primary')], ...more });
const canary = (more: object = {}) => ({ services: [to('shop-canary')], ...more });
const viewOf = (...objects: KubeObject[]): LaggedView => {
  const view = laggedView(() => 0);
  for (const next of [service('shop-primary'), service('shop-canary'), ...objects]) view.hear(next.kind, { next });
  return view;
};
const nameOf = (view: LaggedView, asked = request(), random: () => number = Math.random) => {
  const route = routeByHttpProxy(view, asked)?.(random);
  return route && 'destination' in route ? route.destination.name : route?.status;
};

describe('HTTPProxy', () => {
  it('shares requests by weight, within four standard deviations, and evenly where no weight is above 0', () => {
    const share = (weights: readonly (number | undefined)[]) => {
      const services = [to('shop-primary', { weight: weights[0] }), to('shop-canary', { weight: weights[1] })];
      const [view, random] = [viewOf(root(), proxy('shop', { routes: [{ services }] })), seededRandom(2)];
      return Array.from({ length: 4000 }, () => nameOf(view, request(), random)).filter((name) => name === 'shop-canary').length;
    };
    expect(Math.abs(share([70, 30]) - 1200)).toBeLessThan(4 * Math.sqrt(4000 * 0.3 * 0.7));
    expect(Math.abs(share([0, undefined]) - 2000)).toBeLessThan(4 * Math.sqrt(4000 * 0.25));
    expect(share([100, 0])).toBe(0);
  });

  it('takes the more specific route: exact before prefix, the longer path, then more conditions', () => {
    const header = { header: { name: 'X-User', exact: 'insider' } };
    const routes = [
      primary({ conditions: [{ prefix: '/' }] }),
      canary({ conditions: [header, { prefix: '/' }] }),
      primary({ conditions: [header, { exact: '/only' }] }),
    ];
    const view = viewOf(root(), proxy('shop', { routes }));
    expect(nameOf(view, request('/', { 'x-user': 'insider' }))).toBe('shop-canary');
    expect(nameOf(view, request('/only?a=1', { 'x-user': 'insider' }))).toBe('shop-primary');
    expect(nameOf(view)).toBe('shop-primary');
  });

  it('joins the paths of include and route; a path that is not the last condition is a prefix', () => {
    const including = root({ includes: [{ name: 'shop', conditions: [{ prefix: '/api' }, { header: { name: 't', present: true } }] }] });
    const header = { header: { name: 'x', contains: 'b' } };
    const view = viewOf(
      including,
      proxy('shop', { routes: [canary({ conditions: [{ exact: '/b' }, header] }), primary({ conditions: [{ exact: '/c' }] })] }),
    );
    const sent = { t: '1', x: 'abc' };
    expect(nameOf(view, request('/api/b/more', sent))).toBe('shop-canary');
    expect(nameOf(view, request('/api/c', sent))).toBe('shop-primary');
    expect(nameOf(view, request('/api/c/more', sent))).toBe(404);
    expect(nameOf(view, request('/api/b', { x: 'abc' }))).toBe(404);
  });

  it.each([
    { what: 'exact', header: { exact: 'a' }, yes: 'a', no: 'ab' },
    { what: 'regex, over the whole value', header: { regex: 'a.*' }, yes: 'ab', no: 'ba' },
    { what: 'notexact', header: { notexact: 'a' }, yes: 'b', no: 'a' },
    { what: 'notcontains', header: { notcontains: 'a' }, yes: 'b', no: 'xa' },
    { what: 'contains without regard to case', header: { contains: 'A', ignoreCase: true }, yes: 'xa', no: 'b' },
    { what: 'an operator that is missing, which is not a condition', header: {}, yes: 'anything', no: undefined },
  ])('header conditions: $what', ({ header, yes, no }) => {
    const view = viewOf(root(), proxy('shop', { routes: [canary({ conditions: [{ header: { name: 'x', ...header } }] })] }));
    expect(nameOf(view, request('/', { x: yes }))).toBe('shop-canary');
    if (no !== undefined) expect(nameOf(view, request('/', { x: no }))).toBe(404);
  });

  it.each([
    { what: 'two paths in one block', conditions: [{ prefix: '/a' }, { prefix: '/b' }] },
    { what: 'two exact values of one header', conditions: ['a', 'b'].map((exact) => ({ header: { name: 'x', exact } })) },
    { what: 'a path that does not begin with /', conditions: [{ prefix: 'a' }] },
  ])('does not take $what', ({ conditions }) =>
    expect(nameOf(viewOf(root(), proxy('shop', { routes: [canary({ conditions })] })), request('/a', { x: 'a' }))).toBe(404),
  );

  it('answers 502 for an include that is not found, 503 without a service, and nothing for other hosts', () => {
    expect(nameOf(viewOf(root()))).toBe(502);
    expect(nameOf(viewOf(root(), proxy('shop', { routes: [{ services: [to('gone')] }] })))).toBe(503);
    expect(nameOf(viewOf(root(), proxy('shop', { routes: [primary()] })), request('/', {}, 'other.example.org'))).toBeUndefined();
    const wildcard = root({ virtualhost: { fqdn: '*.example.org' } });
    expect(nameOf(viewOf(wildcard, proxy('shop', { routes: [primary()] })))).toBe('shop-primary');
    expect(nameOf(viewOf(root(), root({ x: 1 }), proxy('other', { virtualhost: { fqdn: 'shop.example.org' } })))).toBe(404);
  });

  it('mirrors, with a weight of 0 everything; sets headers; counts under the names of clusters', () => {
    const override = { requestHeadersPolicy: { set: [{ name: 'l5d-dst-override', value: 'x' }] } };
    const routes = [
      {
        services: [to('shop-primary', { weight: 100, ...override }), to('shop-canary', { mirror: true })],
        timeoutPolicy: { response: '5s' },
      },
    ];
    const route = routeByHttpProxy(viewOf(root(), proxy('shop', { routes })), request())?.(() => 0.99);
    if (!route || !('destination' in route)) throw new Error('no route');
    expect(route).toMatchObject({ mirrors: [{ name: 'shop-canary' }], timeoutMs: 5000 });
    expect(route.requestHeaders).toContainEqual({ set: { 'l5d-dst-override': 'x' }, remove: [] });
    const metrics = createMetrics({ ...httpProxy.histograms });
    for (const destination of [route.destination, ...route.mirrors])
      route.count?.(metrics, { destination, status: 200, isProxyError: false, method: 'GET', path: '/', durationMs: 4 });
    expect(metrics.text()).toContain('envoy_cluster_name="prod_shop-primary_80",envoy_response_code="200"} 1');
    expect(metrics.text()).toContain('envoy_cluster_name="prod_shop-canary_80",envoy_response_code="200"} 1');
  });
});
