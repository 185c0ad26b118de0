import { type Provider, providers } from '../../src/api/canary.ts';
import { RoutingError, routers } from '../../src/routers/index.ts';
import type { Router } from '../../src/routers/router.ts';
import { routerCases } from '../contracts/routers/index.ts';
import type { GoldenCase } from '../contracts/routers-cases.ts';

/** One provider for each folder of golden cases and each set of features, and the folder. */
export const goldenFolders: ReadonlyMap<Provider, string> = new Map(
  [
    ...Map.groupBy(
      providers.filter((provider) => routerCases[provider]?.golden !== undefined),
      (provider) => JSON.stringify([routerCases[provider]?.golden, routers[provider].supports]),
    ).values(),
  ].flatMap(([provider]) => (provider ? [[provider, routerCases[provider]?.golden ?? ''] as const] : [])),
);

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
