import type { Provider } from '../../src/api/canary.ts';
import { RoutingError } from '../../src/routers/index.ts';
import type { Router } from '../../src/routers/router.ts';
import type { GoldenCase } from '../contracts/routers-cases.ts';

/** Providers with golden cases, and the folder of those. */
export const goldenFolders: Partial<Record<Provider, string>> = {
  ...{ apisix: 'apisix', appmesh: 'appmesh-v1beta1', 'appmesh:v1beta2': 'appmesh', contour: 'contour', 'gatewayapi:v1': 'gateway-api' },
  ...{ gloo: 'gloo', istio: 'istio', kuma: 'kuma', nginx: 'nginx', skipper: 'skipper', 'smi:v1alpha1': 'smi', 'smi:v1alpha4': 'smi' },
  traefik: 'traefik',
};

/** All that a router makes of one case; a `RoutingError` is what it says to a Canary that it cannot serve. */
export function routeAll(router: Router, { canary, apex, routes, current }: GoldenCase): void {
  const steps: (() => unknown)[] = [
    () => router.refuses?.(canary),
    () => router.ignores?.(canary),
    () => router.render(canary, apex, routes, current),
    () => router.readRoutes(canary, current),
    () => router.readRoutes(canary, router.render(canary, apex, routes, current).write),
    () => router.missing?.(canary, current),
    () => router.isInForce?.(canary, current),
    () => router.rejection?.(canary, current),
    () => router.finalize(canary, current),
  ];
  for (const step of steps) {
    try {
      step();
    } catch (error) {
      if (!(error instanceof RoutingError)) throw error;
    }
  }
}
