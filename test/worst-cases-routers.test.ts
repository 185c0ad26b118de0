import { describe, expect, it } from 'vitest';
import type { Provider } from '../src/api/canary.ts';
import { parseCanary } from '../src/api/parse-canary.ts';
import { RoutingError, routers } from '../src/routers/index.ts';
import type { Router } from '../src/routers/router.ts';
import { countSteps } from './build/step-meter.ts';
import { LENGTH, worstCases } from './build/worst-cases.ts';
import { casesIn, type GoldenCase } from './contracts/routers-cases.ts';

/** Of each character that is put in; the rest of a golden case costs a constant. */
const STEPS_A_CHARACTER = 200;
const texts = [...worstCases];

/** All that a router makes of one case. */
function route(router: Router, { canary, apex, routes, current }: GoldenCase): void {
  const steps: (() => unknown)[] = [
    () => router.refuses?.(canary),
    () => router.ignores?.(canary),
    () => router.render(canary, apex, routes, current),
    () => router.readRoutes(canary, current),
    () => router.readRoutes(canary, router.render(canary, apex, routes, current).write),
    () => router.missing?.(canary, current),
    () => router.isInForce?.(canary, current),
    () => router.objection?.(canary, current),
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

/** Each text in a value, as a way to put another in its place in a copy. */
function* places(value: unknown, way: readonly (string | number)[] = []): Generator<readonly (string | number)[]> {
  if (typeof value === 'string') yield way;
  else if (Array.isArray(value)) for (const [at, one] of value.entries()) yield* places(one, [...way, at]);
  else if (typeof value === 'object' && value !== null) for (const [key, one] of Object.entries(value)) yield* places(one, [...way, key]);
}

function withText<T>(value: T, way: readonly (string | number)[], text: string): T {
  const [key, ...rest] = way;
  if (key === undefined) return text as T;
  const copy = (Array.isArray(value) ? [...value] : { ...value }) as Record<string | number, unknown>;
  copy[key] = withText(copy[key], rest, text);
  return copy as T;
}

/** Providers with golden cases, and the folder of those. */
const folders: Partial<Record<Provider, string>> = {
  ...{ apisix: 'apisix', appmesh: 'appmesh-v1beta1', 'appmesh:v1beta2': 'appmesh', contour: 'contour', 'gatewayapi:v1': 'gateway-api' },
  ...{ gloo: 'gloo', istio: 'istio', kuma: 'kuma', nginx: 'nginx', skipper: 'skipper', 'smi:v1alpha1': 'smi', 'smi:v1alpha4': 'smi' },
  traefik: 'traefik',
};

describe('routers take steps in proportion to a worst case in any text of their objects', () => {
  it.each(Object.entries(folders) as [Provider, string][])('%s', (provider, folder) => {
    const wrong = new Set<string>();
    let next = 0;
    for (const one of casesIn(folder)) {
      const { canary, current, routes } = one;
      for (const way of places({ canary: { spec: canary.spec }, current, routes })) {
        // Which kind of routes is recorded is our own word.
        if (way.join('.') === 'routes.kind') continue;
        next += 1;
        const [name, text] = texts[next % texts.length] ?? ['', ''];
        const changed = { ...one, ...withText({ canary, current, routes }, way, text) };
        if (way[0] === 'canary' && 'problems' in parseCanary(changed.canary as never))
          changed.canary = withText({ canary }, way, text.slice(0, 1024)).canary;
        if ('problems' in parseCanary(changed.canary as never)) continue;
        try {
          countSteps(() => route(routers[provider], changed), STEPS_A_CHARACTER * LENGTH);
        } catch (error) {
          wrong.add(
            `${one.name}, ${way.join('.')}: ${name}: ${error instanceof Error ? `${error.name}: ${error.message.slice(0, 100)}` : error}`,
          );
        }
      }
    }
    expect(next).toBeGreaterThan(40);
    expect([...wrong]).toEqual([]);
  });
});
