import type { KubeObject } from '../../src/api/kube-object.ts';
import { raw } from '../fakes/raw.ts';

interface Weighted {
  weight?: number;
}
const weightsOf = (all: readonly Weighted[] = []): number[] => all.flatMap(({ weight }) => (weight === undefined ? [] : [weight]));

/** Percent of requests by destination, for each rule of a route; a rule with one destination and no weight has none. */
export function sharesOf(route: KubeObject): number[][] {
  const spec = raw(route).spec ?? {};
  const rules: readonly number[][] =
    route.kind === 'TrafficSplit'
      ? [weightsOf(spec.backends)]
      : route.kind === 'VirtualRouter'
        ? (spec.routes ?? []).map((one: { httpRoute: { action: { weightedTargets: Weighted[] } } }) =>
            weightsOf(one.httpRoute.action.weightedTargets),
          )
        : (spec.http ?? []).map(({ route: all }: { route?: Weighted[] }) => weightsOf(all));
  return rules.filter((weights) => weights.length > 0);
}
