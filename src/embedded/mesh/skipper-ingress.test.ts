import { describe, expect, it } from 'vitest';
import type { KubeObject, Labels } from '../../api/kube-object.ts';
import { laggedView } from './lagged-view.ts';
import { seededRandom } from './random.ts';
import { parseHost } from './request.ts';
import { routeBySkipper } from './skipper-ingress.ts';
import { parsePredicates } from './skipper-predicate.ts';
import { trafficMetrics } from './traffic-metrics.ts';

function anIngress(name: string, services: readonly string[], annotations: Labels = {}, path = '/'): KubeObject {
  const paths = services.map((service) => ({ path, pathType: 'Prefix', backend: { service: { name: service, port: { number: 80 } } } }));
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: { name, namespace: 'prod', annotations },
    spec: { ingressClassName: 'skipper', rules: [{ host: 'shop.example.org', http: { paths } }] },
  };
}
const main = anIngress('shop', ['shop']);
const copy = (weights: object, predicate: string, path?: string) =>
  anIngress(
    'shop-canary',
    ['shop-primary', 'shop-canary'],
    { 'zalando.org/backend-weights': JSON.stringify(weights), 'zalando.org/skipper-predicate': predicate },
    path,
  );

function answer(objects: readonly KubeObject[], { headers = {}, url = '/', random = Math.random } = {}) {
  const view = laggedView(() => 0);
  for (const next of objects) view.hear(next.kind, { next });
  const host = parseHost('shop.example.org', 'default');
  return routeBySkipper(view, { method: 'GET', url, headers, host, gateway: 'mesh', sourceLabels: {} })?.(random);
}
const nameOf = (route: ReturnType<typeof answer>) => route && ('destination' in route ? route.destination.name : route.status);

describe('routes', () => {
  it('share by the backend weights, and without a route where the weight is missing', () => {
    const count = (canary: number) => {
      const random = seededRandom(3);
      const objects = [main, copy({ 'shop-canary': canary, 'shop-primary': 100 - canary }, 'Weight(100)')];
      const names = Array.from({ length: 4000 }, () => nameOf(answer(objects, { random })));
      expect(names).not.toContain('shop');
      return names.filter((name) => name === 'shop-canary').length;
    };
    expect(Math.abs(count(30) - 1200)).toBeLessThan(4 * Math.sqrt(4000 * 0.3 * 0.7));
    expect([count(0), count(100)]).toEqual([0, 4000]);
  });

  it('without any weight all share evenly', () => {
    const random = seededRandom(3);
    const objects = [anIngress('shop', ['a', 'b', 'c', 'd'])];
    const names = Array.from({ length: 4000 }, () => nameOf(answer(objects, { random })));
    for (const name of ['a', 'b', 'c', 'd'])
      expect(Math.abs(names.filter((one) => one === name).length - 1000)).toBeLessThan(4 * Math.sqrt(4000 * 0.25 * 0.75));
  });

  it.each([
    { predicate: 'False()', headers: {}, name: 'shop' },
    { predicate: 'Weight(100) && Header("X-User", "insider")', headers: { 'x-user': 'insider' }, name: 'shop-canary' },
    { predicate: 'Weight(100) && Header("X-User", "insider")', headers: {}, name: 'shop' },
    { predicate: 'Weight(100) && HeaderRegexp("cookie", "^.*x=\\\\d$")', headers: { cookie: 'x=1' }, name: 'shop-canary' },
    { predicate: 'Weight(100) && Cookie("x", /^1$/)', headers: { cookie: 'a=b; x=1' }, name: 'shop-canary' },
    { predicate: 'Weight(100) && QueryParam("v", "^2$")', headers: {}, name: 'shop' },
    { predicate: 'Weight(100) && Unheard("of")', headers: {}, name: 'shop' },
  ])('$predicate, for $headers: $name', ({ predicate, headers, name }) =>
    expect(nameOf(answer([main, copy({ 'shop-canary': 100 }, predicate)], { headers }))).toBe(name),
  );

  it('a longer path goes before any weight, and 404 is the answer where none holds', () => {
    expect(
      nameOf(answer([anIngress('cart', ['cart'], {}, '/cart'), copy({ 'shop-canary': 100 }, 'Weight(100)')], { url: '/cart/1' })),
    ).toBe('cart');
    expect(nameOf(answer([anIngress('cart', ['cart'], {}, '/cart')]))).toBe(404);
    expect(answer([{ ...main, spec: { ...(main.spec as object), ingressClassName: 'nginx' } }])).toBeUndefined();
  });
});

it.each(['Header("a"', 'Header("a") || True()', 'Header(a)', '&&'])('%s cannot be read', (text) =>
  expect(parsePredicates(text)).toBeUndefined(),
);

it('counts under the names and labels of Skipper', () => {
  const metrics = trafficMetrics({ skipper_response_duration_seconds: [0.1], skipper_serve_route_duration_seconds: [0.1] });
  const route = answer([main, copy({ 'shop-canary': 100 }, 'Weight(100)')]);
  if (!route || !('destination' in route)) throw new Error('no route');
  route.count?.(metrics, { destination: route.destination, status: 500, isProxyError: false, method: 'GET', path: '/', durationMs: 50 });
  const labels = 'code="500",method="GET",route="kube_prod__shop_canary__shop_example_org_____shop_canary"';
  expect(metrics.text()).toContain(`skipper_response_duration_seconds_bucket{${labels},le="+Inf"} 1\n`);
  expect(metrics.text()).toContain(`skipper_serve_route_duration_seconds_sum{${labels}} 0.05\n`);
});
