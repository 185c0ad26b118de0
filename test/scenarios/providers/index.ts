import { apisix } from './apisix.ts';
import { contour } from './contour.ts';
import { gatewayApi, gatewayApiMesh } from './gateway-api.ts';
import { gloo } from './gloo.ts';
import { istio } from './istio.ts';
import { knative } from './knative.ts';
import { nginx } from './nginx.ts';
import type { ProviderFixture } from './provider-fixture.ts';
import { skipper } from './skipper.ts';
import { smiFixtures } from './smi.ts';
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
  ...smiFixtures,
  traefik,
];

/** A mesh, a gateway and an ingress, whose comparisons are tried at length. */
export const comparedFixtures: readonly ProviderFixture[] = [istio, gatewayApi, nginx];
