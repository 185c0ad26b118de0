import { istioGatewayApi } from '../scenarios/providers/gateway-api.ts';
import { istio } from '../scenarios/providers/istio.ts';
import type { ProviderFixture } from '../scenarios/providers/provider-fixture.ts';
import type { ProxyCase } from '../scenarios/real-proxy.ts';

/** The Envoy of the environment, by its own counters. */
export const istioProxyCase: ProxyCase = {
  fixture: istio,
  name: 'istio',
  start: async ({ mesh }) => ({ ...mesh, url: mesh.url(0), stop: async () => undefined }),
  series: (more) =>
    `sum(rate(istio_requests_total{destination_workload_namespace="{{ namespace }}",destination_workload="{{ target }}"${more}}[{{ interval }}]))`,
  statusLabel: 'response_code',
};

/** The same through GRPCRoutes. */
export const istioGrpc: ProviderFixture = {
  ...istioGatewayApi,
  service: (app) => ({ ...istioGatewayApi.service?.(app), appProtocol: 'grpc' }),
  route: (app) => ({ ...istioGatewayApi.route(app), kind: 'GRPCRoute' }),
};
