import type { Provider } from '../../../src/api/canary.ts';
import { apisix } from './apisix.ts';
import { appMeshV1beta1, appMeshV1beta2 } from './appmesh.ts';
import { contour } from './contour.ts';
import { gatewayApi } from './gateway-api.ts';
import { gloo } from './gloo.ts';
import { istio } from './istio.ts';
import { knative } from './knative.ts';
import { kuma } from './kuma.ts';
import { nginx } from './nginx.ts';
import type { RouterCase } from './router-case.ts';
import { skipper } from './skipper.ts';
import { smiMatches, smiWeights } from './smi.ts';
import { traefik } from './traefik.ts';

const noProxy: RouterCase = {
  lacks: { weights: 'no proxy', mirroring: 'no proxy', headerMatch: 'no proxy', sessionAffinity: 'no proxy' },
  sums: () => [],
};

/** Each provider that has a router. */
export const routerCases: Readonly<Partial<Record<Provider, RouterCase>>> = {
  contour,
  'gatewayapi:v1': gatewayApi('v1'),
  'gatewayapi:v1beta1': gatewayApi('v1beta1'),
  apisix,
  gloo,
  appmesh: appMeshV1beta1,
  'appmesh:v1beta2': appMeshV1beta2,
  istio,
  knative,
  kubernetes: noProxy,
  kuma,
  linkerd: smiWeights('v1alpha1'),
  nginx,
  none: noProxy,
  osm: smiWeights('v1alpha2'),
  skipper,
  'smi:v1alpha1': smiWeights('v1alpha1'),
  'smi:v1alpha2': smiWeights('v1alpha2'),
  'smi:v1alpha3': smiMatches,
  'smi:v1alpha4': smiMatches,
  traefik,
};
