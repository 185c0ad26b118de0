import type { Provider } from '../api/canary.ts';
import { type MeshProvider, meshProviderOf, unknownProvider } from '../api/mesh-provider.ts';
import { apisix } from './apisix/router.ts';
import { appMeshV1beta1 } from './appmesh/app-mesh-v1beta1.ts';
import { appMeshV1beta2 } from './appmesh/app-mesh-v1beta2.ts';
import { contour } from './contour/router.ts';
import { gatewayApi } from './gateway-api/router.ts';
import { gloo } from './gloo/router.ts';
import { istio } from './istio/router.ts';
import { knative } from './knative/router.ts';
import { noRoutes } from './kubernetes/router.ts';
import { kuma } from './kuma/router.ts';
import { nginx } from './nginx/router.ts';
import type { Router } from './router.ts';
import { skipper } from './skipper/router.ts';
import { smi } from './smi/router.ts';
import { traefik } from './traefik/router.ts';

export { originalConfig } from './original-spec.ts';
export type { Apex, Change, Router } from './router.ts';
export { RoutingError } from './routing-error.ts';

/** Every provider of the API and its router. */
export const routers = {
  apisix,
  appmesh: appMeshV1beta1,
  'appmesh:v1beta2': appMeshV1beta2,
  contour: contour(),
  'gatewayapi:v1': gatewayApi('v1'),
  'gatewayapi:v1beta1': gatewayApi('v1beta1'),
  gloo,
  istio,
  knative,
  kubernetes: noRoutes,
  kuma,
  linkerd: smi('v1alpha1'),
  nginx: nginx(),
  none: noRoutes,
  osm: smi('v1alpha2'),
  skipper,
  'smi:v1alpha1': smi('v1alpha1'),
  'smi:v1alpha2': smi('v1alpha2'),
  'smi:v1alpha3': smi('v1alpha3'),
  'smi:v1alpha4': smi('v1alpha4'),
  traefik,
} satisfies Record<Provider, Router>;

/** Linkerd changes nothing of a split. */
const byMesh: Readonly<Record<Exclude<MeshProvider, Provider>, Router>> = {
  'smi:v1alpha1:istio': smi('v1alpha1', 'istio'),
  'smi:v1alpha2:istio': smi('v1alpha2', 'istio'),
  'smi:v1alpha3:istio': smi('v1alpha3', 'istio'),
  'smi:v1alpha4:istio': smi('v1alpha4', 'istio'),
  'smi:v1alpha1:linkerd': routers['smi:v1alpha1'],
  'smi:v1alpha2:linkerd': routers['smi:v1alpha2'],
  'smi:v1alpha3:linkerd': routers['smi:v1alpha3'],
  'smi:v1alpha4:linkerd': routers['smi:v1alpha4'],
};

/** Settings of the controller that routers need. */
export interface RouterOptions {
  /** Prefix of the annotations that ingress-nginx reads. */
  ingressAnnotationsPrefix?: string;
  /** The ingress class of generated HTTPProxies; empty: none. */
  ingressClass?: string;
}

/**
 * The router of a provider; takes any text, as the `--mesh-provider` flag does. An unknown one is refused and never falls back
 * to another (04-R-L7).
 */
export function routerFor(provider: string, options: RouterOptions = {}): Router | { unsupported: string } {
  if (provider === 'nginx') return nginx(options.ingressAnnotationsPrefix);
  if (provider === 'contour') return contour(options.ingressClass);
  const known = meshProviderOf(provider);
  return known === undefined ? { unsupported: unknownProvider(provider) } : { ...routers, ...byMesh }[known];
}
