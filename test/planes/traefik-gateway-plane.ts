import { ensureTraefikDefinitions, ensureTraefikGatewayDefinitions } from '../../scripts/e2e-traefik.ts';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { applyCrdFiles, type RealEnvironment } from '../scenarios/environment.ts';
import { namespacesFor } from '../scenarios/shares/split-app.ts';
import { startGround } from './ground.ts';
import { startTraefik } from './traefik.ts';

export const EDGE = { namespace: 'edge', name: 'edge' };

/** Traefik as what implements the Gateway API, for scenarios that wait for answers, and not for what it has read. */
export const startTraefikGateway = (): Promise<RealEnvironment> =>
  startGround(
    async ({ cluster, adminKubeconfigFile }) => {
      await applyCrdFiles(cluster, [await ensureTraefikDefinitions(), ...(await ensureTraefikGatewayDefinitions())]);
      await namespacesFor(cluster, [EDGE.namespace]);
      const { url, port, metricsUrl, stop } = await startTraefik(adminKubeconfigFile, { safeNaming: true, readsGatewayApi: true });
      for (const object of gatewayAt(port)) await cluster.create(object);
      return { url, metricsUrl, knows: () => true, mirrored: () => ({}), stop };
    },
    { judgesHttpRoutes: false },
  );

const apiVersion = 'gateway.networking.k8s.io/v1';

/** Its listener finds the entry point by the port. */
const gatewayAt = (port: number): readonly KubeObject[] => [
  { apiVersion, kind: 'GatewayClass', metadata: { name: 'traefik' }, spec: { controllerName: 'traefik.io/gateway-controller' } },
  {
    apiVersion,
    kind: 'Gateway',
    metadata: EDGE,
    spec: {
      gatewayClassName: 'traefik',
      listeners: [{ name: 'http', port, protocol: 'HTTP', allowedRoutes: { namespaces: { from: 'All' } } }],
    },
  },
];
