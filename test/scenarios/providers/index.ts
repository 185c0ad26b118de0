import { apisix } from './apisix.ts';
import { contour } from './contour.ts';
import { gatewayApi, gatewayApiMesh } from './gateway-api.ts';
import { gloo } from './gloo.ts';
import { istio } from './istio.ts';
import { knative } from './knative.ts';
import { nginx } from './nginx.ts';
import type { ProviderFixture } from './provider-fixture.ts';
import { skipper } from './skipper.ts';
import { smi } from './smi.ts';
import { traefik } from './traefik.ts';

/** Every provider with a data plane in the embedded mesh. */
export const providerFixtures: readonly ProviderFixture[] = [
  contour,
  gatewayApi,
  gatewayApiMesh,
  apisix,
  gloo,
  istio,
  knative,
  nginx,
  skipper,
  smi('linkerd', 'v1alpha1'),
  smi('smi:v1alpha1', 'v1alpha1'),
  smi('smi:v1alpha2', 'v1alpha2'),
  smi('smi:v1alpha3', 'v1alpha3'),
  smi('smi:v1alpha4', 'v1alpha4'),
  traefik,
];
