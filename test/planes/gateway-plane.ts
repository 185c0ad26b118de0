import { ensureContourDefinitions } from '../../scripts/e2e-contour.ts';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { applyCrdFiles } from '../scenarios/environment.ts';
import { gatewayApiTakenOver } from '../scenarios/providers/gateway-api.ts';
import { namespacesFor } from '../scenarios/shares/split-app.ts';
import { CONTOUR_NAMES, startApplicationMetrics } from './application-metrics.ts';
import { startContour } from './contour.ts';
import { planeOf } from './contour-plane.ts';
import type { StartPlane } from './ground.ts';

export const EDGE = { namespace: 'edge', name: 'edge' };

/** A Gateway that all namespaces share. */
export const throughEdge = gatewayApiTakenOver(EDGE);

/** Contour and its Envoy as what implements the Gateway API. */
export const startGatewayPlane: StartPlane = async ({ cluster, adminKubeconfigFile }) => {
  const { contour, 'gateway-api': gatewayApi } = await ensureContourDefinitions();
  await applyCrdFiles(cluster, [contour, gatewayApi]);
  await namespacesFor(cluster, [EDGE.namespace]);
  for (const object of GATEWAY) await cluster.create(object);
  const proxy = await startContour({ kubeconfigFile: adminKubeconfigFile, gateway: EDGE });
  const metrics = await startApplicationMetrics(proxy.metricsUrl, CONTOUR_NAMES);
  const plane = planeOf(proxy, metrics.url);
  return {
    ...plane,
    async stop() {
      await metrics.stop();
      await plane.stop();
    },
  };
};

const apiVersion = 'gateway.networking.k8s.io/v1';
const GATEWAY: readonly KubeObject[] = [
  {
    apiVersion,
    kind: 'GatewayClass',
    metadata: { name: 'contour' },
    spec: { controllerName: 'projectcontour.io/gateway-controller' },
  },
  {
    apiVersion,
    kind: 'Gateway',
    metadata: EDGE,
    spec: {
      gatewayClassName: 'contour',
      listeners: [{ name: 'http', port: 80, protocol: 'HTTP', allowedRoutes: { namespaces: { from: 'All' } } }],
    },
  },
];
