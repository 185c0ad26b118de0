import type { Provider } from '../../../src/api/canary.ts';

export interface RealProxy {
  /** Program that divides the requests there. */
  proxy: string;
  /** The test that plays it, from the root of the repository. */
  test: string;
}

/** Providers whose objects a real proxy has divided requests by, besides the proxies of the embedded mesh. */
export const realProxies: Readonly<Partial<Record<Provider, RealProxy>>> = {
  istio: { proxy: 'Envoy, configured by istiod', test: 'test/planes/istio.test.ts' },
  nginx: { proxy: 'nginx, driven by ingress-nginx', test: 'test/planes/ingress-nginx.test.ts' },
  contour: { proxy: 'Envoy, configured by Contour', test: 'test/planes/contour.test.ts' },
  skipper: { proxy: 'Skipper', test: 'test/planes/skipper.test.ts' },
  traefik: { proxy: 'Traefik', test: 'test/planes/traefik.test.ts' },
  'gatewayapi:v1': { proxy: 'Envoy, configured by Contour', test: 'test/planes/gateway-api.test.ts' },
};
