import { setTimeout as sleep } from 'node:timers/promises';
import type { KubeObject } from '../../src/api/kube-object.ts';
import type { RealEnvironment } from '../scenarios/environment.ts';
import {
  CLIENT,
  GATEWAY,
  GATEWAY_NAME,
  GATEWAY_PORT,
  gatewayObject,
  type IstioEnvironment,
  type Place,
} from '../scenarios/istio/places.ts';
import { namespacesFor } from '../scenarios/shares/split-app.ts';
import { emptyView, isDelegate, isKnown, readView } from './envoy-view.ts';
import { gatewayClasses } from './gateway-classes.ts';
import { ADDRESSES, type StartPlane, startGround } from './ground.ts';
import { startIstioMetrics } from './istio-metrics.ts';
import { type IstioProxy, startIstioProxy } from './istio-proxy.ts';
import { startIstiod } from './istiod.ts';

const LOOK_EVERY_MS = 50;

/** istiod, and an Envoy that is the sidecar of a client. */
export const startIstioPlane: StartPlane = (real) => startPlane(real);

/** The same, where istiod reads the Gateway API. */
export const startIstioGatewayApi: StartPlane = (real) => startPlane(real, { readsGatewayApi: true });

/** The same beside an Envoy that is the ingress gateway, as an environment. */
export async function startIstioGround(): Promise<RealEnvironment & IstioEnvironment & { readonly gatewayAdmin: string }> {
  let gatewayAdmin = '';
  const real = await startGround(async (started) => {
    const plane = await startPlane(started, { hasGateway: true });
    ({ gatewayAdmin } = plane);
    return plane;
  });
  const url = (port: number) => `http://127.0.0.1:${port}`;
  return { ...real, gatewayAdmin, entries: { gateway: url(GATEWAY_PORT), client: url } };
}

async function startPlane(
  { cluster, adminKubeconfigFile }: Parameters<StartPlane>[0],
  { hasGateway = false, readsGatewayApi = false } = {},
) {
  await namespacesFor(cluster, ['istio-system', CLIENT.namespace]);
  if (readsGatewayApi) await cluster.apply(gatewayClasses);
  const istiod = await startIstiod(adminKubeconfigFile, { readsGatewayApi });
  const client = await startIstioProxy('sidecar', { ...CLIENT, name: 'client', ip: ADDRESSES.client }, istiod.xdsPort);
  const proxies = [watched(client, CLIENT, 'mesh')];
  if (hasGateway) {
    await namespacesFor(cluster, [GATEWAY.namespace]);
    await cluster.create(gatewayObject);
    const gateway = await startIstioProxy('router', { ...GATEWAY, name: 'gateway', ip: ADDRESSES.gateway }, istiod.xdsPort);
    proxies.push(watched(gateway, GATEWAY, GATEWAY_NAME));
  }
  const metrics = await startIstioMetrics(client.admin);
  return {
    // Exit for requests to Services of port 80; the host header names the Service.
    url: 'http://127.0.0.1:80',
    metricsUrl: metrics.url,
    // A delegate is known only at the proxy that knows the delegating VirtualService.
    knows: (object: KubeObject) => proxies[isDelegate(object) ? 'some' : 'every']((proxy) => proxy.knows(object)),
    // Requests to the canary are copies as long as users only get answers of the primary.
    mirrored: metrics.canaryRequests,
    gatewayAdmin: proxies.at(-1)?.admin ?? '',
    async stop() {
      await metrics.stop();
      await Promise.all(proxies.map((proxy) => proxy.stop()));
      await istiod.stop();
    },
  };
}

/** A proxy, and the configuration that it uses. */
export function watched({ admin, stop }: IstioProxy, place: Place, gateway: string) {
  let view = emptyView;
  let isOver = false;
  const looking = (async () => {
    while (!isOver) {
      view = (await readView(admin)) ?? view;
      await sleep(LOOK_EVERY_MS);
    }
  })();
  return {
    admin,
    knows: (object: KubeObject) => isKnown(object, view, place, gateway),
    async stop() {
      isOver = true;
      await looking;
      await stop();
    },
  };
}
