import type { KubeObject } from '../../src/api/kube-object.ts';
import { GATEWAY } from '../scenarios/istio/places.ts';
import { gatewayApiTakenOver } from '../scenarios/providers/gateway-api.ts';
import { namespacesFor } from '../scenarios/shares/split-app.ts';
import { ISTIO_NAMES, startApplicationMetrics } from './application-metrics.ts';
import { gatewayClasses } from './gateway-classes.ts';
import { ADDRESSES, type StartPlane } from './ground.ts';
import { watched } from './istio-plane.ts';
import { startIstioProxy } from './istio-proxy.ts';
import { startIstiod } from './istiod.ts';

export const EDGE = { namespace: GATEWAY.namespace, name: 'edge' };
/** Address on which Envoy listens: no pod has it. */
const PORT = 8123;

/** A Gateway that all namespaces share. */
export const throughIstio = gatewayApiTakenOver(EDGE);

/** istiod as what answers a Gateway of the Gateway API, and the Envoy that it configures for it. */
export const startIstioGatewayClass: StartPlane = async ({ cluster, adminKubeconfigFile }) => {
  await namespacesFor(cluster, ['istio-system', EDGE.namespace]);
  await cluster.apply(gatewayClasses);
  const istiod = await startIstiod(adminKubeconfigFile, { readsGatewayApi: true });
  for (const object of OBJECTS) await cluster.create(object);
  const envoy = await startIstioProxy('router', { ...GATEWAY, name: EDGE.name, ip: ADDRESSES.gateway }, istiod.xdsPort);
  const proxy = watched(envoy, GATEWAY, `${EDGE.namespace}/${EDGE.name}`);
  const metrics = await startApplicationMetrics(envoy.metricsUrl, ISTIO_NAMES);
  return {
    url: `http://127.0.0.1:${PORT}`,
    metricsUrl: metrics.url,
    knows: proxy.knows,
    // Requests to the canary are copies as long as users only get answers of the primary.
    mirrored: metrics.canaryRequests,
    async stop() {
      await metrics.stop();
      await proxy.stop();
      await istiod.stop();
    },
  };
};

/** The Gateway names the Service of its proxy, as one does who runs the proxy oneself. */
const OBJECTS: readonly KubeObject[] = [
  {
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'GatewayClass',
    metadata: { name: 'istio' },
    spec: { controllerName: 'istio.io/gateway-controller' },
  },
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: EDGE,
    spec: { selector: GATEWAY.labels, ports: [{ name: 'http', port: 80, targetPort: PORT }] },
  },
  {
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'Gateway',
    metadata: EDGE,
    spec: {
      gatewayClassName: 'istio',
      addresses: [{ type: 'Hostname', value: `${EDGE.name}.${EDGE.namespace}.svc.cluster.local` }],
      listeners: [{ name: 'http', port: 80, protocol: 'HTTP', allowedRoutes: { namespaces: { from: 'All' } } }],
    },
  },
];
