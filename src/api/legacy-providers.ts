import type { Canary, Provider } from './canary.ts';
import { meshProviderNote } from './mesh-provider.ts';

const appMesh =
  'AWS has ended App Mesh (September 2026): move to another mesh, such as istio, linkerd, or gatewayapi:v1 with the Amazon VPC Lattice controller';

/** Providers whose upstream has ended: what has happened, and where to go. Serin still writes their routes, and proves them by rendering only. */
export const legacyProviders: Readonly<Partial<Record<Provider, string>>> = {
  appmesh: appMesh,
  'appmesh:v1beta2': appMesh,
  kuma: 'Kuma has taken TrafficRoute out: move to gatewayapi:v1, which Kuma serves too',
  osm: 'Open Service Mesh is archived: move to a mesh that is kept up, such as istio, linkerd or gatewayapi:v1',
};

/** The same for the provider of a Canary, by the name that it is given there. */
export function endedProvider({ spec }: Pick<Canary, 'spec'>, provider: Provider): string | undefined {
  return legacyProviders[provider] ?? (spec.provider && meshProviderNote(spec.provider));
}
