import { createServer } from 'node:http';
import type { Pod } from '../../api/kinds/pod.ts';
import { SERVICE_KIND } from '../../api/kinds/service.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { sleep } from '../../base/clock.ts';
import type { Cluster } from '../../kube/cluster.ts';
import { keyOf, type ObjectChange, type ObjectStore, watchObjects } from '../controllers/object-store.ts';
import { NetworkPolicies } from '../network-policy/index.ts';
import { PORT_ANNOTATION } from '../nodes/kubelet.ts';
import { realWorld, type World } from '../world.ts';
import type { Metrics, Sample } from './exposition.ts';
import { ingressKind } from './ingress.ts';
import { laggedView } from './lagged-view.ts';
import type { AnswerOf, ModelledOutcome, ModelledRequest } from './modelled-request.ts';
import { startProxy } from './proxy.ts';
import type { ReportedAnswer } from './proxy-context.ts';
import { seededRandom } from './random.ts';
import type { ResolvedRoute } from './resolved-route.ts';
import type { ObservedKind } from './resolver.ts';
import { resolvers } from './resolvers.ts';
import type { ProxyLocation } from './service-proxy.ts';
import { recordAnswer, trafficMetrics, workloadLabels } from './traffic-metrics.ts';

export interface MeshOptions {
  /** Number of proxies; default 3. They are placed on the nodes in the order of their names, and again from the first. */
  proxies?: number;
  /** Bounds of the random lag of each change at each proxy, in milliseconds; default 0–3000. They can be changed while it runs. */
  lagMs?: readonly [number, number];
  /** Seed of every choice made here; default 1. */
  seed?: number;
  /** Proxies keep their connections to pods, which is three times as fast, and fails requests when a pod goes; default false. */
  keepsConnections?: boolean;
  world?: World;
  /** API groups of routing kinds and of network policies that are used, now and later; by default any. */
  groups?: ReadonlySet<string>;
}

/** Counters of the mesh since its start. */
interface MeshCounts {
  /** Answers to clients, mirrored copies apart. */
  total: number;
  /** Answers by status code. */
  byStatus: Record<string, number>;
  /** Answers of pods, by `namespace/workload`, then status code; copies apart. */
  byWorkload: Record<string, Record<string, number>>;
  /** Copies sent, by `namespace/workload`. */
  mirrored: Record<string, number>;
  /** Answers that a proxy made itself, by reason. */
  proxyErrors: Record<string, number>;
}

export interface Mesh {
  url(proxy: number): string;
  readonly urls: readonly string[];
  /** Prometheus text exposition. */
  metricsText(): string;
  /** The same, for a Prometheus of this process. */
  metricsSamples(): Sample[];
  /** Serves `metricsText` on `/metrics`. */
  readonly metricsUrl: string;
  counts(): MeshCounts;
  /** One request, or some alike, through a proxy: routed and counted as by HTTP, and answered as `answerOf` computes. */
  model(proxy: number, request: ModelledRequest, answerOf: AnswerOf, count?: number): ModelledOutcome;
  /** Changes that some proxy has not received yet. */
  pending(): number;
  /** Tests if this version of an object, or a later one, is in force at every proxy; always true for a kind that routes and refuses nothing. */
  knows(object: KubeObject): boolean;
  stop(): Promise<void>;
}

const BUILT_IN: readonly ObservedKind[] = [SERVICE_KIND, { apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice' }, ingressKind];
const KINDS: readonly ObservedKind[] = [
  ...BUILT_IN,
  // A kind that two providers read is one stream.
  ...new Set(resolvers.flatMap(({ kinds }) => kinds).filter((kind) => kind !== ingressKind)),
];

/** A data plane: real HTTP, routed by the objects as each proxy has received them. */
export async function startMesh(cluster: Cluster, options: MeshOptions = {}): Promise<Mesh> {
  const { proxies: size = 3, lagMs = [0, 3000], seed = 1, keepsConnections = false, world = realWorld, groups } = options;
  const { clock, network } = world;
  const agent = keepsConnections ? network.agent({ keepAlive: true }) : undefined;
  const metrics = trafficMetrics(Object.assign({}, ...resolvers.map(({ histograms }) => histograms)));
  const counts: MeshCounts = { total: 0, byStatus: {}, byWorkload: {}, mirrored: {}, proxyErrors: {} };
  let isStarting = true;

  const views = Array.from({ length: size }, (_, index) => {
    const random = seededRandom(seed * 7919 + index);
    const laterMs = () => (isStarting ? 0 : CLUSTER_LATER_MS);
    return laggedView(() => (isStarting ? 0 : lagMs[0] + random() * (lagMs[1] - lagMs[0])), clock, { servicesOf, laterMs });
  });
  const hear = (kind: string, change: ObjectChange): void => {
    for (const view of views) view.hear(kind, change);
  };
  const nodes = watchPlaces(cluster);
  const pods = watchPods(cluster);
  const isSpokenOf = (apiVersion: string): boolean => groups?.has(apiVersion.split('/')[0] ?? '') !== false;
  const policies = isSpokenOf('networking.k8s.io/v1') ? new NetworkPolicies(cluster) : undefined;
  const kinds = KINDS.filter(({ apiVersion }, index) => index < BUILT_IN.length || isSpokenOf(apiVersion));
  const stores = kinds.map(({ knownAs, ...kind }) => watchObjects(cluster, kind, (change) => hear(knownAs ?? kind.kind, change)));
  const required = [pods.store, nodes.store, ...stores.slice(0, 2)];
  await Promise.all([...required.map((store) => store.synced), policies?.synced]);
  // Optional kinds can be absent for good: their first list is waited for only as long as a request takes.
  await Promise.race([Promise.all(stores.map((store) => store.synced)), sleep(clock, FIRST_LISTS_MS)]);
  isStarting = false;

  const onAnswer = (answered: ReportedAnswer, route?: ResolvedRoute): void => {
    const { count = 1 } = answered;
    recordAnswer(metrics, answered, count);
    route?.count?.(count === 1 ? metrics : timesOver(metrics, count), answered);
    tally(counts, answered);
  };
  const started = await Promise.all(
    views.map((view, index) =>
      startProxy({
        view,
        random: seededRandom(seed * 104_729 + index),
        place: () => nodes.placeOf(index),
        portOf: pods.portOf,
        podOf: pods.podOf,
        ...(policies && { policies }),
        onAnswer,
        world,
        ...(agent && { agent }),
      }),
    ),
  );
  const exporter = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4' });
    response.end(metrics.text());
  });
  const exported = await network.listen(exporter);
  const urls = started.map(({ url }) => url);
  return {
    url: (proxy) => urls[proxy] ?? '',
    urls,
    metricsText: () => metrics.text(),
    metricsSamples: () => metrics.samples(),
    metricsUrl: `${exported.url}/metrics`,
    counts: () => structuredClone(counts),
    model(proxy, request, answerOf, count = 1) {
      const chosen = started[proxy % started.length];
      if (chosen === undefined) throw new Error('a mesh without proxies routes nothing');
      return chosen.model(request, answerOf, count);
    },
    pending: () => views.reduce((sum, view) => sum + view.pending(), 0),
    knows(object) {
      const observed = kinds.find(({ apiVersion, kind }) => apiVersion === object.apiVersion && kind === object.kind);
      const version = Number(object.metadata.resourceVersion);
      const known = observed?.knownAs ?? object.kind;
      const services = observed && servicesOf(known, object);
      if (policies && !policies.knows(object)) return false;
      return (
        observed === undefined ||
        views.every(
          (view) =>
            Number(view.get(known, keyOf(object))?.metadata.resourceVersion) >= version &&
            (services ?? []).every((service) => view.knowsService(service)),
        )
      );
    },
    async stop() {
      for (const store of [pods.store, nodes.store, ...stores] satisfies ObjectStore[]) store.stop();
      policies?.stop();
      agent?.destroy();
      await Promise.all([...started.map((proxy) => proxy.stop()), exported.close(true)]);
    },
  };
}

/** The nodes in the order of their names, for the places of proxies. */
function watchPlaces(cluster: Cluster) {
  let places: ProxyLocation[] = [];
  const store = watchObjects(cluster, { apiVersion: 'v1', kind: 'Node' }, () => {
    const sorted = store.list().toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
    places = sorted.map(({ metadata }) => ({ node: metadata.name, zone: metadata.labels?.['topology.kubernetes.io/zone'] ?? '' }));
  });
  const placeOf = (index: number): ProxyLocation => places[index % Math.max(1, places.length)] ?? { node: '', zone: '' };
  return { store, placeOf };
}

/** A gone pod keeps its entry: a proxy that does not know of its end yet is refused the connection, as in a real network. */
function watchPods(cluster: Cluster) {
  const portByIp = new Map<string, number>();
  const gone = new Map<string, KubeObject>();
  const store = watchObjects<Pod>(cluster, { apiVersion: 'v1', kind: 'Pod' }, ({ next }, pod) => {
    const port = Number(pod.metadata.annotations?.[PORT_ANNOTATION]);
    if (pod.status?.podIP && port) portByIp.set(pod.status.podIP, port);
    if (next) return;
    gone.set(keyOf(pod), pod);
    const [oldest = ''] = gone.keys();
    if (gone.size > GONE_LIMIT) gone.delete(oldest);
  });
  return {
    store,
    portOf: (ip: string) => portByIp.get(ip),
    podOf: (namespace: string, name: string) => store.get(`${namespace}/${name}`) ?? gone.get(`${namespace}/${name}`),
  };
}

const timesOver = (metrics: Metrics, times: number): Metrics => ({
  ...metrics,
  count: (name, labels, by = 1) => metrics.count(name, labels, by * times),
  observe: (name, labels, value) => metrics.observe(name, labels, value, times),
});

/** A few milliseconds on an idle machine: as long as on a busy one, so that no scenario misses it. */
const CLUSTER_LATER_MS = 300;

function servicesOf(kind: string, object: KubeObject): readonly string[] | undefined {
  return resolvers.find(({ kinds }) => kinds.some((one) => (one.knownAs ?? one.kind) === kind))?.servicesOf?.(object);
}

const FIRST_LISTS_MS = 200;
const GONE_LIMIT = 1000;

function tally(counts: MeshCounts, { pod, status, isProxyError, isMirror, reason, count = 1 }: ReportedAnswer): void {
  const workload = pod ? workloadLabels(pod).key : 'unknown';
  if (isMirror) {
    add(counts.mirrored, workload, count);
    return;
  }
  counts.total += count;
  add(counts.byStatus, status, count);
  if (isProxyError) add(counts.proxyErrors, reason ?? 'unknown', count);
  else {
    counts.byWorkload[workload] ??= {};
    add(counts.byWorkload[workload], status, count);
  }
}

function add(record: Record<string, number>, key: string | number, count: number): void {
  record[key] = (record[key] ?? 0) + count;
}
