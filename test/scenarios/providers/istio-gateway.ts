import { GATEWAY_NAME } from '../istio/places.ts';
import { istio } from './istio.ts';
import type { ProviderFixture } from './provider-fixture.ts';

/** Users who come in by an ingress gateway, whose Gateway takes every host. */
export const istioGateway: ProviderFixture = {
  ...istio,
  service: (app) => ({ gateways: [GATEWAY_NAME], hosts: [istioGateway.host(app)] }),
  host: ({ name, namespace }) => `${name}.${namespace}.example`,
  headers: () => ({ 'x-serin-gateway': GATEWAY_NAME }),
};
