import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { refOf } from '../../src/api/kube-object.ts';
import { startEmbeddedCluster } from '../../src/embedded/cluster.ts';
import { type Mesh, startMesh } from '../../src/embedded/mesh/index.ts';
import type { AppBehaviour } from '../../src/embedded/nodes/behaviour.ts';
import { startNodes } from '../../src/embedded/nodes/index.ts';
import { startPrometheus } from '../../src/embedded/prometheus/index.ts';
import type { KubeCluster } from '../../src/kube/kube-cluster.ts';
import { until } from './until.ts';

/** Everything that a release plays on: a cluster with the CRDs, nodes that run pods, a mesh, and a Prometheus that scrapes it. */
export interface Stage {
  /** For the controller. */
  readonly kubeconfigFile: string;
  /** An administrator's client, for set-up and looking. */
  readonly cluster: KubeCluster;
  readonly mesh: Mesh;
  readonly prometheusUrl: string;
  /** Requests of the controller that the API server refused for want of permission; empty where there is no RBAC. */
  forbidden(): string[];
  stop(): Promise<void>;
}

export interface RealStage extends Stage {
  /** File of the API server's audit events, one JSON a line. */
  readonly auditLog: string;
}

const SCRAPE_EVERY_MS = 250;
/** Every proxy hears of every change late, but sooner than the scale-down delay ends (1 s). */
const MESH = { proxies: 3, lagMs: [20, 300], seed: 11 } as const;
const NODES = { graceScale: 0.05, appFor };
const ROOT = join(import.meta.dirname, '..', '..');
const CRD_FOLDERS = [join(ROOT, 'charts', 'serin', 'crds'), join(ROOT, 'test', 'fixtures', 'crds')];

/** `NEVER_READY_AS_PRIMARY` in a container's env: the template is fine under analysis, and fails where it is promoted to. */
function appFor(pod: KubeObject): Partial<AppBehaviour> {
  const env: { name: string }[] = pod.spec.containers?.[0]?.env ?? [];
  const isPrimary = pod.metadata.labels?.app?.endsWith('-primary') ?? false;
  return isPrimary && env.some(({ name }) => name === 'NEVER_READY_AS_PRIMARY') ? { neverReady: true } : {};
}

export async function startEmbeddedStage(): Promise<Stage> {
  const embedded = await startEmbeddedCluster({ nodes: NODES, mesh: MESH });
  const { cluster, mesh } = embedded;
  await applyCrds(cluster);
  const prometheus = await startPrometheus({ targets: [mesh.metricsUrl], scrapeIntervalMs: SCRAPE_EVERY_MS });
  const folder = mkdtempSync(join(tmpdir(), 'serin-stage-'));
  const kubeconfigFile = join(folder, 'kubeconfig');
  writeFileSync(kubeconfigFile, embedded.kubeconfig);
  return {
    kubeconfigFile,
    cluster,
    mesh,
    prometheusUrl: prometheus.url,
    forbidden: () => [],
    async stop() {
      await prometheus.stop();
      await embedded.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The same on etcd, kube-apiserver, kube-controller-manager and a real Prometheus. */
export async function startRealStage(): Promise<RealStage> {
  // Loaded here, so that the embedded suite needs none of it.
  const [{ startRealCluster }, { startRealPrometheus }] = await Promise.all([
    import('../e2e/real-cluster.ts'),
    import('../e2e/real-prometheus.ts'),
  ]);
  const real = await startRealCluster();
  const { cluster } = real;
  try {
    await applyCrds(cluster);
    const nodes = startNodes(cluster, {
      ...NODES,
      calls: {
        bind: (pod, node) => cluster.bind(refOf(pod), node),
        forceDelete: (pod) => cluster.forceDelete(refOf(pod)),
      },
    });
    await nodes.ready;
    const mesh = await startMesh(cluster, MESH);
    const prometheus = await startRealPrometheus({ targets: [mesh.metricsUrl], scrapeIntervalMs: SCRAPE_EVERY_MS });
    return {
      kubeconfigFile: real.kubeconfigFile,
      cluster,
      mesh,
      prometheusUrl: prometheus.url,
      auditLog: real.auditLog,
      forbidden: () => forbiddenIn(real.auditLog, 'serin'),
      async stop() {
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

async function applyCrds(cluster: KubeCluster): Promise<void> {
  const crds = CRD_FOLDERS.flatMap((folder) =>
    readdirSync(folder)
      .filter((file) => file.endsWith('.yaml'))
      .flatMap((file) => parseAllDocuments(readFileSync(join(folder, file), 'utf8')).map((document): KubeObject => document.toJS())),
  );
  for (const crd of crds) await cluster.apply(crd);
  for (const crd of crds)
    await until(cluster, refOf(crd), 'is established', (now) =>
      now?.status?.conditions?.some(({ type, status }: { type: string; status: string }) => type === 'Established' && status === 'True'),
    );
}

/** `verb uri` of each request of the user that was answered 403. */
function forbiddenIn(auditLog: string, user: string): string[] {
  const lines = readFileSync(auditLog, 'utf8').split('\n').filter(Boolean);
  const events: { verb: string; requestURI: string; user: { username: string }; responseStatus?: { code?: number } }[] = lines.map((line) =>
    JSON.parse(line),
  );
  return events
    .filter((event) => event.user.username === user && event.responseStatus?.code === 403)
    .map(({ verb, requestURI }) => `${verb} ${requestURI}`);
}
