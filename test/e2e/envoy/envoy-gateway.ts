import { createHash } from 'node:crypto';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ensureEnvoy } from '../../../scripts/e2e-envoy.ts';
import type { KubeObject } from '../../../src/api/kube-object.ts';
import { watchObjects } from '../../../src/embedded/controllers/object-store.ts';
import { PORT_ANNOTATION } from '../../../src/embedded/nodes/kubelet.ts';
import type { Cluster } from '../../../src/kube/cluster.ts';
import { startGuarded } from '../../scenarios/guarded-process.ts';
import { freePort } from '../free-port.ts';
import { type Backend, clusterName, routeTable } from './http-route.ts';

export interface EnvoyGateway {
  /** URL for users. */
  readonly url: string;
  /** Envoy's own counters, as Prometheus text. */
  readonly metricsUrl: string;
  /** Envoy itself routes by this version of an HTTPRoute or EndpointSlice. */
  knows(object: KubeObject): boolean;
  stop(): Promise<void>;
}

const READY_WITHIN_MS = 30_000;
const LOOK_EVERY_MS = 50;
/** Changes that come together are written together. */
const GATHER_MS = 20;
const TYPE = 'type.googleapis.com/envoy';
const LISTENER = `${TYPE}.config.listener.v3.Listener`;
const MANAGER = `${TYPE}.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager`;

/**
 * A real Envoy that follows the HTTPRoutes of a cluster. It reads its routes, clusters and endpoints from files, which this writes whole and
 * moves into place; nothing is restarted when they change.
 */
export async function startEnvoyGateway(cluster: Cluster): Promise<EnvoyGateway> {
  const program = await ensureEnvoy();
  const folder = mkdtempSync(join(tmpdir(), 'serin-envoy-'));
  const [port, adminPort] = [await freePort(), await freePort()];
  const written = new Map<string, string>();
  /** Gives the version under which Envoy knows what it holds. */
  const write = (name: string, resources: readonly object[]): string => {
    const content = JSON.stringify(resources);
    const version = createHash('sha256').update(content).digest('hex').slice(0, 12);
    if (written.get(name) === version) return version;
    written.set(name, version);
    const making = join(folder, `.${name}.next`);
    writeFileSync(making, JSON.stringify({ version_info: version, resources }));
    // Envoy looks at moves to the path of a file, not at writes into it.
    renameSync(making, join(folder, `${name}.json`));
    return version;
  };
  let timer: NodeJS.Timeout | undefined;
  const changed = () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      publish();
    }, GATHER_MS);
  };
  const routes = watchObjects(cluster, { apiVersion: 'gateway.networking.k8s.io/v1', kind: 'HTTPRoute' }, changed);
  const slices = watchObjects(cluster, { apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice' }, changed);
  const pods = watchObjects(cluster, { apiVersion: 'v1', kind: 'Pod' }, changed);
  const stores = [routes, slices, pods];
  /** Configuration that Envoy last confirmed, and configuration that it receives now. */
  let loaded: ReadonlyMap<string, string> = new Map();
  let latest: WrittenConfig | undefined;
  const publish = () => {
    const { config, backends } = routeTable(routes.list());
    const endpoints = endpointsBy(slices.list(), pods.list());
    const sources = [...routes.list(), ...slices.list()];
    // A cluster takes a file of its own: more than one resource in it is refused.
    for (const backend of backends) write(endpointsFile(clusterName(backend)), [assignment(backend, endpoints)]);
    write(
      'cds',
      backends.map((backend) => envoyCluster(clusterName(backend), folder)),
    );
    const version = write('rds', [{ '@type': `${TYPE}.config.route.v3.RouteConfiguration`, ...config }]);
    latest = {
      version,
      versions: new Map(sources.map((object) => [keyOf(object), object.metadata.resourceVersion ?? ''])),
      ports: new Map(backends.map((backend) => [clusterName(backend), portsOf(backend, endpoints)])),
    };
  };
  await Promise.all(stores.map((store) => store.synced));
  publish();
  write('lds', [listener(port, folder)]);
  const bootstrap = join(folder, 'bootstrap.json');
  writeFileSync(bootstrap, JSON.stringify(bootstrapOf(adminPort, folder)));
  const envoy = startGuarded(
    'envoy',
    [program, '--config-path', bootstrap, '--concurrency', '1', '--log-level', 'warning', '--use-dynamic-base-id'],
    join(folder, 'log'),
  );
  const admin = `http://127.0.0.1:${adminPort}`;
  let isOver = false;
  const looking = (async () => {
    while (!isOver) {
      const now = latest;
      if (now && now.versions !== loaded && (await hasLoaded(admin, now))) loaded = now.versions;
      await sleep(LOOK_EVERY_MS);
    }
  })();
  const stop = async () => {
    isOver = true;
    await looking;
    for (const store of stores) store.stop();
    clearTimeout(timer);
    await envoy.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  const deadlineMs = performance.now() + READY_WITHIN_MS;
  while (!(await answers(`${admin}/ready`))) {
    if (envoy.hasExited() || performance.now() > deadlineMs) {
      const tail = envoy.logTail();
      await stop();
      throw new Error(`envoy did not become ready:\n${tail}`);
    }
    await sleep(50);
  }
  return {
    url: `http://127.0.0.1:${port}`,
    metricsUrl: `${admin}/stats/prometheus`,
    knows: (object) => Number(loaded.get(keyOf(object))) >= Number(object.metadata.resourceVersion),
    stop,
  };
}

const keyOf = ({ kind, metadata }: KubeObject): string => `${kind}/${metadata.namespace}/${metadata.name}`;

/** Configuration that was last written for Envoy. */
interface WrittenConfig {
  /** Version of the routes. */
  version: string;
  /** Versions of the objects that it was made from. */
  versions: ReadonlyMap<string, string>;
  /** Loopback ports by cluster. */
  ports: ReadonlyMap<string, readonly number[]>;
}

/** Parts of the response of Envoy's admin interface that are read. */
interface RouteDump {
  configs?: { version_info?: string }[];
}
interface ClusterDump {
  cluster_statuses?: { name: string; host_statuses?: { address: { socket_address: { port_value: number } } }[] }[];
}

/** True if Envoy uses the routes of this version, and these endpoints of each cluster. */
async function hasLoaded(admin: string, { version, ports }: WrittenConfig): Promise<boolean> {
  const look = async (path: string): Promise<unknown> => {
    const answer = await fetch(`${admin}${path}`).catch(() => undefined);
    return answer?.ok ? answer.json() : undefined;
  };
  const [dump, clusters] = await Promise.all([look('/config_dump?resource=dynamic_route_configs'), look('/clusters?format=json')]);
  const isLoaded = (dump as RouteDump | undefined)?.configs?.some((config) => config.version_info === version);
  const hosts = new Map(
    ((clusters as ClusterDump | undefined)?.cluster_statuses ?? []).map(({ name, host_statuses = [] }) => [
      name,
      host_statuses.map(({ address }) => address.socket_address.port_value),
    ]),
  );
  return isLoaded === true && [...ports].every(([name, wanted]) => isSame(hosts.get(name) ?? [], wanted));
}

const isSame = (a: readonly number[], b: readonly number[]): boolean => a.toSorted().join() === b.toSorted().join();

async function answers(url: string): Promise<boolean> {
  return fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );
}

const endpointsFile = (cluster: string) => `endpoints-${cluster}`;

const fromFile = (folder: string, name: string) => ({
  path_config_source: { path: join(folder, `${name}.json`) },
  resource_api_version: 'V3',
});

function bootstrapOf(adminPort: number, folder: string): object {
  return {
    node: { id: 'serin', cluster: 'serin' },
    admin: { address: loopback(adminPort) },
    dynamic_resources: { lds_config: fromFile(folder, 'lds'), cds_config: fromFile(folder, 'cds') },
  };
}

function listener(port: number, folder: string): object {
  const router = { name: 'router', typed_config: { '@type': `${TYPE}.extensions.filters.http.router.v3.Router` } };
  const manager = {
    '@type': MANAGER,
    stat_prefix: 'gateway',
    rds: { route_config_name: 'http-routes', config_source: fromFile(folder, 'rds') },
    http_filters: [router],
  };
  const filter = { name: 'envoy.filters.network.http_connection_manager', typed_config: manager };
  return { '@type': LISTENER, name: 'gateway', address: loopback(port), filter_chains: [{ filters: [filter] }] };
}

const loopback = (port: number) => ({ socket_address: { address: '127.0.0.1', port_value: port } });

function envoyCluster(name: string, folder: string): object {
  return {
    '@type': `${TYPE}.config.cluster.v3.Cluster`,
    name,
    type: 'EDS',
    connect_timeout: '1s',
    eds_cluster_config: { eds_config: fromFile(folder, endpointsFile(name)) },
  };
}

/** Loopback ports of ready pods by `namespace/service`; the made-up addresses of the pods are never dialled. */
function endpointsBy(slices: readonly KubeObject[], pods: readonly KubeObject[]): Map<string, number[]> {
  const portByPod = new Map(
    pods.map(({ metadata }) => [`${metadata.namespace}/${metadata.name}`, Number(metadata.annotations?.[PORT_ANNOTATION])]),
  );
  const found = new Map<string, number[]>();
  for (const { metadata, endpoints } of slices) {
    const key = `${metadata.namespace}/${metadata.labels?.['kubernetes.io/service-name']}`;
    // A real API server writes null instead of an empty list.
    const ports = ((endpoints ?? []) as { conditions?: { ready?: boolean }; targetRef?: { name: string } }[])
      .filter(({ conditions }) => conditions?.ready !== false)
      .flatMap(({ targetRef }) => portByPod.get(`${metadata.namespace}/${targetRef?.name}`) || []);
    found.set(key, [...(found.get(key) ?? []), ...ports]);
  }
  return found;
}

/** A pod can be listed in two slices for a moment, and Envoy counts a host once. */
const portsOf = ({ namespace, service }: Backend, endpoints: ReadonlyMap<string, number[]>): number[] => [
  ...new Set(endpoints.get(`${namespace}/${service}`)),
];

function assignment(backend: Backend, endpoints: ReadonlyMap<string, number[]>): object {
  const ports = portsOf(backend, endpoints);
  return {
    '@type': `${TYPE}.config.endpoint.v3.ClusterLoadAssignment`,
    cluster_name: clusterName(backend),
    endpoints: [{ lb_endpoints: ports.map((port) => ({ endpoint: { address: loopback(port) } })) }],
  };
}
