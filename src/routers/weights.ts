import { type Affinity, type HttpMatch, type Routes, Weight } from '../api/routes.ts';
import { RoutingError } from './routing-error.ts';

/** The sum of both weights (I1). */
export const ALL = 100;

/** The primary has what the canary leaves. */
export const primaryWeight = (canaryWeight: number): number => ALL - canaryWeight;

/** The canary's weight among the requests that `matchOf` selects; 0 for a mirrored copy. */
export function canaryWeight(routes: Routes): number {
  return routes.kind === 'weighted' ? routes.canary : routes.kind === 'matched' ? ALL : 0;
}

/** The condition on requests, `undefined` for all of them. */
export function matchOf(routes: Routes): readonly HttpMatch[] | undefined {
  return routes.kind !== 'mirrored' && routes.match?.length ? routes.match : undefined;
}

/** The cookies of a release; empty for a mirrored copy. */
export const affinityOf = (routes: Routes): Affinity => (routes.kind === 'mirrored' ? {} : (routes.affinity ?? {}));

/** The canary's weight where a provider has weights only. Throws a `RoutingError` for routes that match or mirror. */
export function onlyWeight(routes: Routes, problem: string, remedy?: string): number {
  if (routes.kind !== 'weighted' || routes.match?.length) throw new RoutingError(problem, remedy);
  return routes.canary;
}

/** The weights of both sides that one rule of a route holds. */
export interface Split {
  primary: number;
  canary: number;
  namesCanary: boolean;
}

/** The canary's weight as found; undefined unless both are whole numbers from 0 that sum to `ALL`. */
export function readWeights(found: { primary: unknown; canary: unknown }): Weight | undefined {
  const [canary, primary] = [Weight.safeParse(found.canary), Weight.safeParse(found.primary)];
  return canary.success && primary.success && canary.data + primary.data === ALL ? canary.data : undefined;
}

/** The same of a provider that divides by any sum; undefined where the part is not a whole percentage of it. */
export function readPart(canary: number, total: number): Weight | undefined {
  return Weight.safeParse((ALL * canary) / total).data;
}

/** The routes that were read: all requests of a condition are an A/B release. */
export function readAs(canary: Weight, match: HttpMatch[] | undefined, affinity: Affinity = {}): Routes {
  const withAffinity = Object.keys(affinity).length > 0 ? { affinity } : {};
  if (match === undefined) return { kind: 'weighted', canary, ...withAffinity };
  return canary === ALL ? { kind: 'matched', match, ...withAffinity } : { kind: 'weighted', canary, match, ...withAffinity };
}
