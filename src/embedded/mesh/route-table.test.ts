import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../api/kube-object.ts';
import { createMetrics } from './exposition.ts';
import { type LaggedView, laggedView } from './lagged-view.ts';
import { seededRandom } from './random.ts';
import { type MeshRequest, parseHost } from './request.ts';
import { routeByRouteTable, routeTable } from './route-table.ts';

const request = (url = '/', headers: Record<string, string> = {}, host = 'shop.example.org'): MeshRequest => ({
  method: 'GET',
  url,
  headers,
  host: parseHost(host, 'default'),
  gateway: 'mesh',
  sourceLabels: {},
});
const object = (kind: string, name: string, spec: object): KubeObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name, namespace: 'prod' },
  spec,
});
const virtualService = (route: object = {}, domains = ['shop.example.org']) =>
  object('GlooVirtualService', 'shop', {
    virtualHost: { domains, routes: [{ delegateAction: { ref: { name: 'shop', namespace: 'prod' } }, ...route }] },
  });
const table = (...routes: object[]) => object('RouteTable', 'shop', { routes });
const upstream = (side: string, kube: object = {}) =>
  object('Upstream', side, { kube: { serviceName: `shop-${side}`, serviceNamespace: 'prod', servicePort: 80, ...kube } });
const to = (side: string, more: object = {}) => ({ destination: { upstream: { name: side, namespace: 'prod' } }, ...more });
const multi = (...destinations: object[]) => ({ routeAction: { multi: { destinations } } });
const viewOf = (...objects: KubeObject[]): LaggedView => {
  const view = laggedView(() => 0);
  const service = object('Service', 'shop-canary', { selector: { app: 'shop' } });
  for (const next of [upstream('primary'), upstream('canary'), service, ...objects]) view.hear(next.kind, { next });
  return view;
};
const nameOf = (view: LaggedView, asked = request(), random: () => number = Math.random) => {
  const route = routeByRouteTable(view, asked)?.(random);
  return route && 'destination' in route ? route.destination.name : route?.status;
};
const canary = (more: object = {}) => ({ ...multi(to('canary', { weight: 1 })), ...more });
const primary = (more: object = {}) => ({ ...multi(to('primary', { weight: 1 })), ...more });
const insider = [{ headers: [{ name: 'X-User', value: 'insider' }] }];

describe('RouteTable', () => {
  it('shares requests by weight, within four standard deviations; a missing weight is 0', () => {
    const view = viewOf(virtualService(), table(multi(to('primary', { weight: 70 }), to('canary', { weight: 30 }), to('gone'))));
    const random = seededRandom(4);
    const found = Array.from({ length: 4000 }, () => nameOf(view, request(), random)).filter((name) => name === 'shop-canary').length;
    expect(Math.abs(found - 1200)).toBeLessThan(4 * Math.sqrt(4000 * 0.3 * 0.7));
    expect(nameOf(viewOf(virtualService(), table(multi(to('primary'), to('canary')))))).toBe(503);
  });

  it('takes the first route of which one matcher holds, with the path of the parent if the route inherits it', () => {
    const parent = virtualService({ matchers: [{ prefix: '/api' }] });
    const inherit = { inheritablePathMatchers: true };
    const view = viewOf(
      parent,
      table(canary({ ...inherit, matchers: [...insider, { queryParameters: [{ name: 'beta' }] }] }), primary(inherit)),
    );
    expect(nameOf(view, request('/api/x', { 'x-user': 'insider' }))).toBe('shop-canary');
    expect(nameOf(view, request('/api?beta=', {}))).toBe('shop-canary');
    expect(nameOf(view, request('/api'))).toBe('shop-primary');
    expect(nameOf(view, request('/'))).toBe(404);
  });

  it('drops a route whose path or headers are not within those of its parent, and no other', () => {
    const parent = virtualService({ matchers: [{ prefix: '/api', headers: [{ name: 't', value: '1' }] }] });
    const outside = viewOf(parent, table(canary(), primary({ inheritablePathMatchers: true })));
    expect(nameOf(outside, request('/api', { t: '1' }))).toBe(404);
    const within = viewOf(parent, table(canary(), primary({ inheritablePathMatchers: true, inheritableMatchers: true })));
    expect(nameOf(within, request('/api', { t: '1' }))).toBe('shop-primary');
    expect(nameOf(within, request('/api', { t: '2' }))).toBe(404);
    const longer = viewOf(virtualService({ matchers: [{ prefix: '/api' }] }), table(canary({ matchers: [{ exact: '/api/b' }] })));
    expect(nameOf(longer, request('/api/b'))).toBe('shop-canary');
  });

  it.each([
    { what: 'a value', matcher: { value: 'a' }, yes: 'a', no: 'ab' },
    { what: 'a pattern, over the whole value', matcher: { value: 'a.*', regex: true }, yes: 'ab', no: 'ba' },
    { what: 'a value that is not wanted', matcher: { value: 'a', invertMatch: true }, yes: 'b', no: 'a' },
    { what: 'no value, which is presence', matcher: {}, yes: 'anything', no: undefined },
  ])('header matchers: $what', ({ matcher, yes, no }) => {
    const view = viewOf(virtualService(), table(canary({ matchers: [{ headers: [{ name: 'x', ...matcher }] }] })));
    expect(nameOf(view, request('/', { x: yes }))).toBe('shop-canary');
    expect(nameOf(view, request('/', no === undefined ? {} : { x: no }))).toBe(404);
  });

  it('follows an Upstream or a Service, and finds no pods where their selectors differ', () => {
    const kube = { routeAction: { single: { kube: { ref: { name: 'shop', namespace: 'prod' }, port: 80 } } } };
    expect(nameOf(viewOf(virtualService(), table(kube)))).toBe('shop');
    expect(nameOf(viewOf(virtualService(), table(multi(to('gone', { weight: 1 })))))).toBe(503);
    expect(nameOf(viewOf(virtualService(), table(canary()), upstream('canary', { selector: { app: 'other' } })))).toBe(503);
    expect(nameOf(viewOf(virtualService(), table(canary()), upstream('canary', { selector: { app: 'shop' } })))).toBe('shop-canary');
  });

  it('speaks of hosts that a VirtualService names, with a port or a wildcard, and of no others', () => {
    for (const domain of ['shop.example.org:80', '*.example.org'])
      expect(nameOf(viewOf(virtualService({}, [domain]), table(primary())))).toBe('shop-primary');
    expect(nameOf(viewOf(virtualService(), table(primary())), request('/', {}, 'other.example.org'))).toBeUndefined();
  });

  it('copies the configured percentage, adds cookies to those of the application, and counts under the names of clusters', () => {
    const cookie = [{ header: { key: 'Set-Cookie', value: 'a=b' } }, { header: { key: 'x', value: 'y' }, append: false }];
    const main = multi(to('primary', { weight: 1, options: { headerManipulation: { responseHeadersToAdd: cookie } } }));
    const shadowing = (percentage: number) => ({ options: { shadowing: { upstream: { name: 'canary', namespace: 'prod' }, percentage } } });
    const resolve = (percentage: number) => {
      const route = routeByRouteTable(viewOf(virtualService(), table({ ...main, ...shadowing(percentage) })), request())?.(() => 0);
      if (!route || !('destination' in route)) throw new Error('no route');
      return route;
    };
    expect(resolve(0).mirrors).toEqual([]);
    const route = resolve(1);
    expect(route.mirrors).toEqual([{ name: 'shop-canary', namespace: 'prod' }]);
    expect(route.responseHeaders[0]).toEqual({ add: { 'Set-Cookie': 'a=b' }, set: { x: 'y' }, remove: [] });
    const metrics = createMetrics({ ...routeTable.histograms });
    for (const destination of [route.destination, ...route.mirrors])
      route.count?.(metrics, { destination, status: 200, isProxyError: false, method: 'GET', path: '/', durationMs: 4 });
    expect(metrics.text()).toContain('envoy_cluster_name="primary_prod",envoy_response_code="200"} 1');
    expect(metrics.text()).toContain('envoy_cluster_name="canary_prod",envoy_response_code="200"} 1');
  });
});
