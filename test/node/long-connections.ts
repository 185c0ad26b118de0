import { raw } from '../fakes/raw.ts';
import { type Application, type ApplicationOptions, anApplication } from './applications.ts';
import type { Client, Entry, Seen } from './clients/client.ts';
import { grpcStreams, manyStreams } from './clients/http2.ts';
import { keptConnections, newConnections, resolvedAddresses } from './clients/requests.ts';
import { webSockets } from './clients/websockets.ts';
import type { Installed } from './installed.ts';
import type { RealNode } from './real-node.ts';

export const KINDS = ['new connections', 'kept connections', 'HTTP/2 streams', 'gRPC streams', 'WebSockets', 'a headless Service'] as const;
export type Kind = (typeof KINDS)[number];

/** Shutdown behaviours of an application; the keys are words of the docs. */
export const ENDINGS = {
  'ends at SIGTERM': { env: { AT_END: 'at-once' } },
  'preStop of 5 s, then ends at SIGTERM': { env: { AT_END: 'at-once' }, container: preStop(5) },
  'drains at SIGTERM': { env: { AT_END: 'drains' } },
  'drains, with a grace of 2 s': { env: { AT_END: 'drains' }, pod: { terminationGracePeriodSeconds: 2 } },
  'closes connections after 3 s, preStop of 5 s, then ends at SIGTERM': {
    env: { AT_END: 'at-once', MAX_AGE: '3' },
    container: preStop(5),
  },
} as const satisfies Record<string, ApplicationOptions>;
export type Ending = keyof typeof ENDINGS;

function preStop(seconds: number): object {
  return { lifecycle: { preStop: { sleep: { seconds } } } };
}

/** Results of each kind of client in one release. */
export type Release = Partial<Record<Kind, Seen>>;

/** Route of clients to the application. */
export interface Way {
  provider: 'kubernetes' | 'contour';
  /** With a scale-down delay longer than the default. */
  isDelayed?: true;
  endings: readonly Ending[];
  entry(namespace: string, serviceUrl: string): Entry;
}

const PORT = 8080;
const DIRECT = 'shop-direct';

/** A release of an application that ends so, with clients of each kind who hold their connections throughout; until the canary has no pods. */
export async function releaseUnderClients(
  node: RealNode,
  installed: Installed,
  namespace: string,
  way: Way,
  ending: Ending,
): Promise<Release> {
  const shop = await anApplication(node, installed, namespace, { ...ENDINGS[ending], ...wayOf(way, namespace) });
  await shop.waitFor('initialized');
  const clients = await clientsOf(node, shop, way);
  await shop.release('2', 'good');
  await shop.waitFor('the end');
  if ((await shop.phase()) !== 'Succeeded') throw new Error(`${namespace}: the release has failed`);
  await node.kubectl('wait', '--for=delete', 'pod', '-l', 'app=shop', '-n', namespace, '--timeout=120s');
  return clients.stop();
}

/** The same clients of an application that is not released, until they are stopped: no release causes their losses. */
export async function clientsWithoutRelease(
  node: RealNode,
  installed: Installed,
  namespace: string,
  way: Way,
): Promise<{ stop(): Promise<Release> }> {
  const shop = await anApplication(node, installed, namespace, wayOf(way, namespace));
  await shop.waitFor('initialized');
  return clientsOf(node, shop, way);
}

/** One of each kind. */
async function clientsOf(node: RealNode, shop: Application, way: Way): Promise<{ stop(): Promise<Release> }> {
  const entry = way.entry(shop.namespace, await shop.url());
  const clients: [Kind, Client][] = [
    ['new connections', newConnections(entry)],
    ['kept connections', keptConnections(entry)],
    ['HTTP/2 streams', manyStreams(entry)],
    ['gRPC streams', grpcStreams(entry)],
    ['WebSockets', webSockets(entry)],
  ];
  if (way.provider === 'kubernetes') clients.push(['a headless Service', resolvedAddresses(() => readyPods(node, shop), PORT)]);
  const stop = async (): Promise<Release> =>
    Object.fromEntries(await Promise.all(clients.map(async ([kind, client]) => [kind, await client.stop()] as const)));
  return { stop };
}

/** Addresses as the DNS of the cluster would give them. */
async function readyPods(node: RealNode, { namespace }: Application): Promise<string[]> {
  const kind = { apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice', namespace };
  const { items } = await node.plane.cluster.list(kind, { labelSelector: `kubernetes.io/service-name=${DIRECT}` });
  const endpoints = items.flatMap((slice): { addresses: string[]; conditions: { ready?: boolean } }[] => raw(slice).endpoints ?? []);
  return endpoints.filter(({ conditions }) => conditions.ready).flatMap(({ addresses }) => addresses);
}

function wayOf({ provider }: Way, namespace: string): ApplicationOptions {
  const direct = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: DIRECT, namespace },
    spec: { clusterIP: 'None', selector: { app: 'shop' }, ports: [{ name: 'http', port: PORT }] },
  };
  // A rolling update takes as long as its pods take to end.
  const canary = { provider, progressDeadlineSeconds: 300 };
  if (provider === 'kubernetes') return { beside: [direct], canary };
  const apex = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'shop', namespace },
    spec: { selector: { app: 'shop' }, ports: [{ name: 'http', port: 80, targetPort: 'http' }] },
  };
  const route = {
    apiVersion: 'projectcontour.io/v1',
    kind: 'HTTPProxy',
    metadata: { name: 'shop', namespace },
    spec: {
      virtualhost: { fqdn: hostOf(namespace) },
      routes: [
        {
          conditions: [{ prefix: '/web.v1.Shop' }],
          timeoutPolicy: { response: 'infinity' },
          services: [{ name: 'shop', port: 80, protocol: 'h2c' }],
        },
        {
          conditions: [{ prefix: '/' }],
          enableWebsockets: true,
          timeoutPolicy: { response: 'infinity' },
          services: [{ name: 'shop', port: 80 }],
        },
      ],
    },
  };
  return { beside: [apex, route], canary, analysis: { stepWeight: 50, maxWeight: 50 } };
}

/** Host by which the proxy knows the application of a namespace. */
export const hostOf = (namespace: string): string => `${namespace}.example.org`;
