/** API groups of the objects that meshes and ingress proxies define themselves, which may lie in another cluster than the application. */
export const meshGroups = [
  'apisix.apache.org',
  'appmesh.k8s.aws',
  'gateway.networking.k8s.io',
  'gateway.solo.io',
  'gloo.solo.io',
  'kuma.io',
  'networking.istio.io',
  'projectcontour.io',
  'specs.smi-spec.io',
  'split.smi-spec.io',
  'traefik.io',
] as const;

/** Services, Ingresses and Knative's Services are always beside the application, as in Flagger (04-2). */
export const localGroups = ['', 'networking.k8s.io', 'serving.knative.dev'] as const;

/** The group of an API version; the core group is the empty text. */
export const groupOf = (apiVersion: string): string => apiVersion.split('/').slice(0, -1).join('/');

export function isMeshKind(apiVersion: string): boolean {
  return meshGroups.some((group) => group === groupOf(apiVersion));
}
