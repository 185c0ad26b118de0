import { crds } from '../api/crds.ts';
import { asCustomResourceDefinition, type CustomResourceDefinition } from '../api/kinds/custom-resource-definition.ts';
import type { KubeObject } from '../api/kube-object.ts';
import { resolvers } from '../embedded/mesh/resolvers.ts';
import { kedaCrds, knativeCrds, routingCrds } from '../embedded/routing-crds.ts';

/** API groups by provider without its version; of the others those of all are needed. */
const GROUPS: ReadonlyMap<string, readonly string[]> = new Map([
  ['kubernetes', []],
  ...resolvers.flatMap(({ providers, definitions }) => {
    const groups = [...new Set((definitions?.() ?? []).map(asCustomResourceDefinition).map(({ spec }) => spec.group))];
    return providers.map((provider) => [provider, groups] as const);
  }),
]);

let made: readonly CustomResourceDefinition[] | undefined;

/**
 * CustomResourceDefinitions of Serin, of the provider and of the objects: each one more is listed and watched by several parts. Those of all
 * providers where the Canary names none.
 */
export function definitionsFor(provider: string | undefined, objects: readonly KubeObject[]): CustomResourceDefinition[] {
  const [family = ''] = (provider ?? '').split(':');
  const known = GROUPS.get(family);
  const used = new Set([...(known ?? [...GROUPS.values()].flat()), ...objects.map(({ apiVersion }) => apiVersion.split('/')[0])]);
  made ??= [...crds(), ...routingCrds(), ...knativeCrds(), ...kedaCrds()].map(asCustomResourceDefinition);
  return made.filter(({ spec }) => spec.group === OWN_GROUP || used.has(spec.group));
}

const OWN_GROUP = 'flagger.app';
