import type { KubeObject } from '../api/kube-object.ts';
import { definition } from './definition.ts';
import { knativeService } from './mesh/knative-service.ts';
import type { RouteResolver } from './mesh/resolver.ts';
import { resolvers } from './mesh/resolvers.ts';

/** The routing kinds that the embedded mesh honours. */
export function routingCrds(): KubeObject[] {
  return resolvers.flatMap((resolver) => (resolver === knativeService ? [] : definitionsOf(resolver)));
}

/** Those of Knative, whose Services are routes and targets in one. */
export const knativeCrds = (): KubeObject[] => definitionsOf(knativeService);

export const kedaCrds = (): KubeObject[] => [definition('keda.sh', 'ScaledObject', 'scaledobjects', ['v1alpha1'])];

const definitionsOf = ({ definitions }: RouteResolver): KubeObject[] => definitions?.() ?? [];
