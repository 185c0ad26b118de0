import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../api/kube-object.ts';
import { laggedView } from './lagged-view.ts';
import { seededRandom } from './random.ts';
import { type MeshRequest, parseHost } from './request.ts';
import type { RouteChoice } from './resolver.ts';
import { routeByVirtualService } from './virtual-service.ts';

const request = (headers: Record<string, string> = {}, host = 'shop.prod'): MeshRequest => ({
  method: 'GET',
  url: '/cart?x=1',
  headers,
  host: parseHost(host, 'default'),
  gateway: 'mesh',
  sourceLabels: {},
});
const viewOf = (...objects: KubeObject[]) => {
  const view = laggedView(() => 0);
  for (const object of objects) view.hear(object.kind, { next: object });
  return view;
};
const virtualService = (http: object[]): KubeObject => ({
  apiVersion: 'networking.istio.io/v1beta1',
  kind: 'VirtualService',
  metadata: { name: 'shop', namespace: 'prod' },
  spec: { hosts: ['shop'], gateways: ['mesh'], http },
});
const to = (host: string, weight?: number) => ({ destination: { host }, ...(weight === undefined ? {} : { weight }) });
const nameOf = (route: ReturnType<RouteChoice> | undefined) => (route && 'destination' in route ? route.destination.name : route?.status);

describe('VirtualService', () => {
  it('shares requests by weight, within four standard deviations', () => {
    const view = viewOf(virtualService([{ route: [to('shop-primary', 70), to('shop-canary', 30)] }]));
    const random = seededRandom(7);
    const canary = Array.from({ length: 4000 }, () => nameOf(routeByVirtualService(view, request())?.(random))).filter(
      (name) => name === 'shop-canary',
    ).length;
    expect(Math.abs(canary - 1200)).toBeLessThan(4 * Math.sqrt(4000 * 0.3 * 0.7));
  });

  it('takes the first route whose match holds and ignores the weight of an only destination', () => {
    const view = viewOf(
      virtualService([
        { match: [{ headers: { 'X-Segment': { exact: 'beta' } } }], route: [to('shop-primary', 0), to('shop-canary', 100)] },
        { route: [to('shop-primary', 0)] },
      ]),
    );
    expect(nameOf(routeByVirtualService(view, request({ 'x-segment': 'beta' }))?.(Math.random))).toBe('shop-canary');
    expect(nameOf(routeByVirtualService(view, request())?.(Math.random))).toBe('shop-primary');
    expect(routeByVirtualService(view, request({}, 'shop.other'))).toBeUndefined();
  });

  it('answers 404 when no route matches and 503 when no destination has weight', () => {
    const none = viewOf(virtualService([{ match: [{ uri: { prefix: '/no' } }], route: [to('shop-primary')] }]));
    expect(nameOf(routeByVirtualService(none, request())?.(Math.random))).toBe(404);
    const zero = viewOf(virtualService([{ route: [to('shop-primary', 0), to('shop-canary', 0)] }]));
    expect(nameOf(routeByVirtualService(zero, request())?.(Math.random))).toBe(503);
  });

  it('mirrors the configured share and rewrites a matched prefix', () => {
    const http = {
      match: [{ uri: { prefix: '/cart' } }],
      rewrite: { uri: '/v2' },
      mirror: { host: 'shop-canary' },
      route: [to('shop-primary', 100)],
    };
    const route = (mirrorPercentage: object) =>
      routeByVirtualService(viewOf(virtualService([{ ...http, mirrorPercentage }])), request())?.(seededRandom(1));
    expect(route({ value: 100 })).toMatchObject({ mirrors: [{ name: 'shop-canary', namespace: 'prod' }], rewrite: { url: '/v2?x=1' } });
    expect(route({ value: 0 })).toMatchObject({ mirrors: [] });
  });
});
