import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { type KubeObject, refOf } from '../../src/api/kube-object.ts';
import type { EmbeddedClusterOptions } from '../../src/embedded/cluster.ts';
import { startGatewayApi } from '../../src/embedded/gateway-api/index.ts';
import { startKnative } from '../../src/embedded/knative/index.ts';
import { type Mesh, startMesh } from '../../src/embedded/mesh/index.ts';
import type { AppBehaviour } from '../../src/embedded/nodes/behaviour.ts';
import { type NodeOptions, type Nodes, startNodes } from '../../src/embedded/nodes/index.ts';
import { podCallsBy } from '../../src/embedded/nodes/pod-calls.ts';
import { virtualWorld } from '../../src/embedded/virtual/virtual-world.ts';
import { realWorld, type World } from '../../src/embedded/world.ts';
import type { KubeCluster } from '../../src/kube/kube-cluster.ts';
import { startRehearsalCluster } from '../../src/rehearsal/rehearsal-cluster.ts';
import type { RealClusterOptions } from '../e2e/real-cluster.ts';
import { raw } from '../fakes/raw.ts';
import { until } from './until.ts';
import { afterAll, beforeAll, enter, playTests } from './world.ts';

/** Everything that a release plays on: a cluster with the CRDs, nodes that run pods, a mesh, and a Prometheus that scrapes it. */
export interface Environment {
  /** For the controller. */
  readonly kubeconfigFile: string;
  /** An administrator's client, for set-up and looking. */
  readonly cluster: KubeCluster;
  readonly mesh: Mesh;
  /** Nodes that run the pods, of either cluster. */
  readonly nodes: Nodes;
  readonly prometheusUrl: string;
  /** Requests of the controller so far by verb and resource (`patch canaries/status`), as the API server saw them. */
  requestCounts(): Record<string, number>;
  /** Requests of the controller's user that the API server refused for want of permission; empty without RBAC. */
  forbidden(user?: string): string[];
  stop(): Promise<void>;
}

export interface RealEnvironment extends Environment {
  /** Kubeconfig of a cluster administrator; `kubeconfigFile` has only the controller's role. */
  readonly adminKubeconfigFile: string;
  /** Requests of one user so far, and whether they were refused for want of permission. */
  requestsOf(user: string): { verb: string; uri: string; isRefused: boolean }[];
  /** Kubeconfig of one of `people`. */
  kubeconfigFileOf(person: string): string;
  /** Output of kubectl, as a cluster administrator. */
  kubectl(...args: string[]): Promise<string>;
}

export interface EnvironmentOptions extends Pick<EmbeddedClusterOptions, 'authorize'> {
  /** Bounds of the lag of each change at each of the three proxies, in milliseconds; shorter than the scale-down delay of the controller. */
  lagMs?: readonly [number, number];
  /** Seed of every lag and of every choice of a proxy. */
  seed?: number;
  /**
   * Part of the 30 s of grace through which a terminating pod serves on; by default 9 s. On a busy machine the news that a pod is leaving
   * takes seconds to the last proxy, and it must not be the pod's end that a request is lost by.
   */
  graceScale?: number;
  /** Overrides what env and annotations of a pod say of its application. */
  appFor?(pod: KubeObject): Partial<AppBehaviour>;
}

export interface RealEnvironmentOptions
  extends EnvironmentOptions,
    Pick<RealClusterOptions, 'serverFlags' | 'moreControllers' | 'people'>,
    Pick<NodeOptions, 'runApp'> {
  /** Interval at which Prometheus scrapes, and timeout of a scrape; default 250 ms. */
  scrapeIntervalMs?: number;
  /** The embedded Gateway controller writes the status of HTTPRoutes; default true. */
  judgesHttpRoutes?: boolean;
  /** The embedded Knative controllers run; default true. */
  standsForKnative?: boolean;
  /** Replaces the embedded mesh. */
  startMesh?(real: Pick<RealEnvironment, 'cluster' | 'adminKubeconfigFile'>): Promise<Mesh>;
}

const SEED = 11;
/** In real time more often: a busy machine leaves scrapes out. */
const SCRAPE_EVERY_MS = { virtual: 1_000, real: 250 };
const RETENTION_MS = 300_000;
const MOST_OUTPUT_BYTES = 10_000_000;
const meshOptions = ({ lagMs = [20, 300], seed = SEED }: EnvironmentOptions) => ({ proxies: 3, lagMs, seed });
const nodeOptions = ({ graceScale = 0.3, appFor }: EnvironmentOptions) => ({
  graceScale,
  appFor: (pod: KubeObject) => ({ ...unreadyAsPrimary(pod), ...appFor?.(pod) }),
});
const ROOT = join(import.meta.dirname, '..', '..');
/** Serin's own resource definitions, and those of meshes and scalers. */
export const OWN_CRDS = join(ROOT, 'charts', 'serin', 'files', 'crds');
export const ROUTING_CRDS = join(ROOT, 'test', 'fixtures', 'crds');
const CRD_FOLDERS = [OWN_CRDS, ROUTING_CRDS];

/** `NEVER_READY_AS_PRIMARY` in a container's env: the template is fine under analysis, and fails where it is promoted to. */
function unreadyAsPrimary(pod: KubeObject): Partial<AppBehaviour> {
  const env: { name: string }[] = raw(pod).spec.containers?.[0]?.env ?? [];
  const isPrimary = pod.metadata.labels?.app?.endsWith('-primary') ?? false;
  return isPrimary && env.some(({ name }) => name === 'NEVER_READY_AS_PRIMARY') ? { neverReady: true } : {};
}

/** Kubeconfig for the commands of users, who may look at more than the controller. */
export const peopleFileOf = (environment: Environment): string =>
  'adminKubeconfigFile' in environment ? (environment as RealEnvironment).adminKubeconfigFile : environment.kubeconfigFile;

/** One environment for all tests of a block: started before the first, stopped after the last. A request that the role does not allow fails the block. */
export function anEnvironment<S extends Environment>(start: () => Promise<S>): () => S {
  let environment: S | undefined;
  playTests();
  beforeAll(async () => {
    environment = await start();
  });
  afterAll(async () => {
    const refused = environment?.forbidden();
    await environment?.stop();
    expect(refused ?? [], 'the controller asked for nothing that its role does not allow').toEqual([]);
  });
  return () => {
    if (environment === undefined) throw new Error('the environment is there when a test runs, not before');
    return environment;
  };
}

export const startEmbeddedEnvironment = (options: EnvironmentOptions = {}): Promise<Environment> => startEnvironmentIn(realWorld, options);

/** The same in a world of its own: the same seed and the same scenario give the same run. */
export function startVirtualEnvironment(options: EnvironmentOptions = {}): Promise<Environment> {
  const world = virtualWorld(options.seed ?? SEED);
  enter(world);
  return world.clock.play(() => startEnvironmentIn(world, options));
}

async function startEnvironmentIn(world: World, options: EnvironmentOptions): Promise<Environment> {
  const { embedded, prometheus, stop } = await startRehearsalCluster(world, {
    crds: crdsIn(CRD_FOLDERS),
    nodes: nodeOptions(options),
    mesh: meshOptions(options),
    scrapeIntervalMs: world === realWorld ? SCRAPE_EVERY_MS.real : SCRAPE_EVERY_MS.virtual,
    retentionMs: RETENTION_MS,
    ...(options.authorize && { authorize: options.authorize }),
  });
  const { cluster, mesh, nodes } = embedded;
  const folder = mkdtempSync(join(tmpdir(), 'serin-environment-'));
  const kubeconfigFile = join(folder, 'kubeconfig');
  writeFileSync(kubeconfigFile, embedded.kubeconfig);
  return {
    kubeconfigFile,
    cluster,
    mesh,
    nodes,
    prometheusUrl: prometheus.url,
    requestCounts: () => embedded.requestCounts('serin-controller'),
    forbidden: () => [],
    async stop() {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The same on etcd, kube-apiserver, kube-controller-manager and a real Prometheus. */
export async function startRealEnvironment(options: RealEnvironmentOptions = {}): Promise<RealEnvironment> {
  // Loaded here, so that the embedded suite needs none of it.
  const [{ startRealCluster }, { startRealPrometheus }, { countsIn, isUnauthorised, readAuditLog }] = await Promise.all([
    import('../e2e/real-cluster.ts'),
    import('../e2e/real-prometheus.ts'),
    import('../e2e/audit-log.ts'),
  ]);
  const { serverFlags = [], moreControllers = [], people = [], runApp, judgesHttpRoutes = true, standsForKnative = true } = options;
  const { scrapeIntervalMs = SCRAPE_EVERY_MS.real } = options;
  const real = await startRealCluster({ serverFlags, moreControllers, people });
  const { cluster } = real;
  try {
    await applyCrds(cluster);
    const nodes = startNodes(cluster, {
      ...nodeOptions(options),
      ...(runApp && { runApp }),
      calls: podCallsBy(cluster),
    });
    await nodes.ready;
    const gateways = judgesHttpRoutes ? startGatewayApi(cluster) : undefined;
    const knative = standsForKnative ? startKnative(cluster) : undefined;
    const mesh = await (options.startMesh?.(real) ?? startMesh(cluster, meshOptions(options)));
    const prometheus = await startRealPrometheus({ targets: [mesh.metricsUrl], scrapeIntervalMs });
    const audit = readAuditLog(real.auditLog);
    const run = promisify(execFile);
    return {
      kubeconfigFile: real.kubeconfigFile,
      adminKubeconfigFile: real.adminKubeconfigFile,
      kubeconfigFileOf: (person) => real.kubeconfigFileOf(person),
      cluster,
      mesh,
      nodes,
      prometheusUrl: prometheus.url,
      requestCounts: () => countsIn(audit.events(), ({ userAgent }) => userAgent === 'serin-controller'),
      requestsOf: (user) =>
        audit
          .events()
          .filter((event) => event.user.username === user)
          .map((event) => ({ verb: event.verb, uri: event.requestURI, isRefused: isUnauthorised(event) })),
      forbidden: (user = 'serin') =>
        audit
          .events()
          .filter((event) => event.user.username === user && isUnauthorised(event))
          .map(({ verb, requestURI }) => `${verb} ${requestURI}`),
      kubectl: async (...args) =>
        (await run(real.kubectl, ['--kubeconfig', real.adminKubeconfigFile, ...args], { maxBuffer: MOST_OUTPUT_BYTES })).stdout,
      async stop() {
        gateways?.stop();
        knative?.stop();
        await prometheus.stop();
        await mesh.stop();
        await nodes.stop();
        await real.stop();
      },
    };
  } catch (error) {
    await real.stop();
    throw error;
  }
}

/** Applies the definitions of Serin and of the meshes; also again, after they were removed. */
export const applyCrds = (cluster: KubeCluster, folders: readonly string[] = CRD_FOLDERS): Promise<void> =>
  applyAndAwait(cluster, crdsIn(folders));

/** A cluster that has the little of Knative's definitions that the suite needs. */
export async function withKnative<C extends { readonly cluster: KubeCluster }>(starting: Promise<C>): Promise<C> {
  const started = await starting;
  await applyCrds(started.cluster);
  return started;
}

/** Replaces ours of the same names by the resource definitions that a project publishes. */
export const applyCrdFiles = (cluster: KubeCluster, files: readonly string[]): Promise<void> =>
  applyAndAwait(cluster, files.flatMap(crdsOf));

async function applyAndAwait(cluster: KubeCluster, crds: readonly KubeObject[]): Promise<void> {
  for (const crd of crds) await cluster.apply(crd);
  for (const crd of crds)
    await until(cluster, refOf(crd), 'is established', (now) =>
      raw(now)?.status?.conditions?.some(
        ({ type, status }: { type: string; status: string }) => type === 'Established' && status === 'True',
      ),
    );
}

const crdsIn = (folders: readonly string[]): KubeObject[] =>
  folders.flatMap((folder) =>
    readdirSync(folder)
      .filter((file) => file.endsWith('.yaml'))
      .flatMap((file) => crdsOf(join(folder, file))),
  );

const crdsOf = (file: string): KubeObject[] =>
  parseAllDocuments(readFileSync(file, 'utf8')).flatMap((document): KubeObject[] => document.toJS() ?? []);

/** Both clusters, for `describe.each`: `vitest -t 'a real control plane'` takes one of them. */
export const clusters: readonly { cluster: string; start: (options?: EnvironmentOptions) => Promise<Environment> }[] = [
  { cluster: 'the embedded cluster', start: startEmbeddedEnvironment },
  { cluster: 'a real control plane', start: startRealEnvironment },
];
