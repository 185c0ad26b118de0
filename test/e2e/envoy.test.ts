import { describe } from 'vitest';
import { anEnvironment, type RealEnvironment, startRealEnvironment } from '../scenarios/environment.ts';
import { gatewayApi } from '../scenarios/providers/gateway-api.ts';
import { describeRealProxy } from '../scenarios/real-proxy.ts';
import { describeShares } from '../scenarios/shares.ts';
import { startEnvoyGateway } from './envoy/envoy-gateway.ts';

/** HTTPRoutes on a real control plane, and a real Envoy that is configured from them. */
describe('a real Envoy behind the Gateway API', () => {
  describeShares([gatewayApi], {
    requests: 2_000,
    seed: 1,
    async start() {
      const { cluster, mesh, stop } = await startRealEnvironment();
      const envoy = await startEnvoyGateway(cluster);
      return {
        cluster,
        mesh: { ...mesh, url: () => envoy.url, knows: envoy.knows },
        async stop() {
          await envoy.stop();
          await stop();
        },
      };
    },
  });

  describeRealProxy(anEnvironment<RealEnvironment>(startRealEnvironment), {
    fixture: gatewayApi,
    name: 'envoy',
    start: ({ cluster }) => startEnvoyGateway(cluster),
    // Envoy names a cluster by what the gateway calls it: namespace, Service and port.
    series: (more) =>
      `sum(rate(envoy_cluster_upstream_rq{envoy_cluster_name="{{ namespace }}_{{ service }}-canary_80"${more}}[{{ interval }}]))`,
    statusLabel: 'envoy_response_code',
  });
});
