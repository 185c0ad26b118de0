/** Every value of `spec.provider`, by which a definition is exported: one line a folder. */

export { apisixProvider as apisix } from './apisix/index.ts';
export { appMeshV1beta1Provider as appmesh, appMeshV1beta2Provider as 'appmesh:v1beta2' } from './appmesh/index.ts';
export { contourProvider as contour } from './contour/index.ts';
export { gatewayApiProvider as 'gatewayapi:v1', gatewayApiV1beta1Provider as 'gatewayapi:v1beta1' } from './gateway-api/index.ts';
export { glooProvider as gloo } from './gloo/index.ts';
export { istioProvider as istio } from './istio/index.ts';
export { knativeProvider as knative } from './knative/index.ts';
export { servicesProvider as kubernetes, servicesProvider as none } from './kubernetes/index.ts';
export { kumaProvider as kuma } from './kuma/index.ts';
export { nginxProvider as nginx } from './nginx/index.ts';
export { skipperProvider as skipper } from './skipper/index.ts';
export {
  linkerdProvider as linkerd,
  osmProvider as osm,
  smiV1alpha1Provider as 'smi:v1alpha1',
  smiV1alpha2Provider as 'smi:v1alpha2',
  smiV1alpha3Provider as 'smi:v1alpha3',
  smiV1alpha4Provider as 'smi:v1alpha4',
} from './smi/index.ts';
export { traefikProvider as traefik } from './traefik/index.ts';
