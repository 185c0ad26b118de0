import { crds } from '../api/crds.ts';
import type { KubeObject } from '../api/kube-object.ts';
import { kedaCrds, knativeCrds, routingCrds } from '../embedded/routing-crds.ts';

/** API groups that the router of a provider writes to. */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  apisix: ['apisix.apache.org'],
  contour: ['projectcontour.io'],
  gatewayapi: ['gateway.networking.k8s.io'],
  gloo: ['gateway.solo.io', 'gloo.solo.io'],
  istio: ['networking.istio.io'],
  knative: ['serving.knative.dev'],
  kubernetes: [],
  linkerd: ['split.smi-spec.io', 'specs.smi-spec.io'],
  nginx: [],
  osm: ['split.smi-spec.io', 'specs.smi-spec.io'],
  skipper: [],
  smi: ['split.smi-spec.io', 'specs.smi-spec.io'],
  traefik: ['traefik.io'],
};

let made: readonly KubeObject[] | undefined;

/**
 * CustomResourceDefinitions of Serin, of the provider and of the objects: each one more is listed and watched by several parts. Those of all
 * providers where the Canary names none.
 */
export function definitionsFor(provider: string | undefined, objects: readonly KubeObject[]): KubeObject[] {
  const [family = ''] = (provider ?? '').split(':');
  const known = GROUPS[family];
  const used = new Set([...(known ?? Object.values(GROUPS).flat()), ...objects.map(({ apiVersion }) => apiVersion.split('/')[0])]);
  made ??= [...crds(), ...routingCrds(), ...knativeCrds(), ...kedaCrds()];
  return made.filter(({ spec }) => spec.group === OWN_GROUP || used.has(spec.group));
}

const OWN_GROUP = 'flagger.app';
