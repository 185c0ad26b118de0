import { dirname } from 'node:path';
import type { Mesh } from '../../../src/embedded/mesh/index.ts';
import { loadConnection } from '../../../src/kube/connect.ts';
import { createCluster } from '../../../src/kube/create-cluster.ts';
import type { KubeCluster } from '../../../src/kube/kube-cluster.ts';
import { startRealCluster } from '../../e2e/real-cluster.ts';
import { applyCrds } from '../../scenarios/environment.ts';
import { startBareCluster } from '../bare-cluster.ts';
import { startDeploymentStatus } from './deployment-status.ts';
import { startPods } from './pods.ts';
import { answeredRequests, type RequestLog, readRequests } from './request-log.ts';

/** The part of a control plane that a run needs, whichever it is. */
export interface ControlPlane {
  readonly kind: 'real' | 'embedded';
  readonly apiUrl: string;
  /** An administrator's client, whose requests are neither counted nor held back. */
  readonly cluster: KubeCluster;
  /** Clients that are served like the controllers; each sends no more than 24 requests at once. */
  readonly plain: readonly [KubeCluster, KubeCluster];
  readonly requests: RequestLog;
  /** For logs, gone after `stop`. */
  readonly folder: string;
  kubeconfigFileOf(user: User): string;
  /** No Deployment waits for its status. */
  isIdle(): boolean;
  /** CPU that the API server has used; undefined of the embedded one, which shares this process. */
  serverCpuSeconds(): Promise<number | undefined>;
  stop(): Promise<void>;
}

/** Gives Deployments and ReplicaSets their status, with pods or without. */
export interface Workloads {
  /** Every change seen so far has its status. */
  isIdle(): boolean;
  stop(): Promise<void> | void;
}

export type User = 'serin' | 'flagger' | 'argo';

const PLAIN = 'plain';
const USERS: readonly User[] = ['serin', 'flagger', 'argo'];
const ANSWER_WITHIN_MS = 120_000;
/** Size in megabytes at which the log rotates: a rotation would lose requests. */
const MOST_OF_LOG = 100_000;
const AUDIT_POLICY = `apiVersion: audit.k8s.io/v1
kind: Policy
rules:
  - level: None
    users: [admin, system:apiserver]
  - level: Metadata
`;

export const startControlPlane = (kind: ControlPlane['kind'], say: (line: string) => void): Promise<ControlPlane> =>
  kind === 'real' ? startRealPlane(say, startStatuses) : startEmbeddedPlane();

/** With kube-controller-manager, and with pods that a data plane sends requests to. */
export async function startPlaneWithPods(say: (line: string) => void): Promise<ControlPlane & { readonly mesh: Mesh }> {
  const plane = await startRealPlane(say, startPods);
  return { ...plane, mesh: plane.workloads.mesh };
}

/** kube-controller-manager is left out: it would have the CPU that is to be measured. */
async function startStatuses(cluster: KubeCluster): Promise<Workloads> {
  const statuses = startDeploymentStatus(cluster);
  await statuses.synced;
  return statuses;
}

/**
 * etcd and kube-apiserver, which serves the controllers as it serves pods: requests of each user wait in queues of their own, and none of them
 * is exempt.
 */
async function startRealPlane<W extends Workloads>(
  say: (line: string) => void,
  startWorkloads: (cluster: KubeCluster) => Promise<W>,
): Promise<ControlPlane & { workloads: W }> {
  const real = await startRealCluster({
    say,
    people: ['flagger', 'argo', PLAIN],
    // As service accounts of pods are.
    groups: ['system:serviceaccounts'],
    fairness: true,
    controllers: startWorkloads !== startStatuses,
    auditPolicy: AUDIT_POLICY,
    // Room for three Services of each of ten thousand Canaries, for two controllers and the plain client.
    serverFlags: ['--service-cluster-ip-range=10.96.0.0/12', `--audit-log-maxsize=${MOST_OF_LOG}`],
  });
  const { cluster } = real;
  try {
    await applyCrds(cluster);
    for (const user of ['flagger', 'argo', PLAIN]) await cluster.create(administrator(user));
    const connection = await loadConnection({ kubeconfig: real.kubeconfigFileOf(PLAIN), userAgent: 'plain' });
    const makePlain = () => createCluster(connection, { requestTimeoutMs: ANSWER_WITHIN_MS });
    const plain = [makePlain(), makePlain()] as const;
    const requests = readRequests(real.auditLog, USERS);
    const workloads = await startWorkloads(cluster);
    return {
      kind: 'real',
      workloads,
      apiUrl: real.apiUrl,
      cluster,
      plain,
      requests,
      folder: real.folder,
      kubeconfigFileOf: (user) => (user === 'serin' ? real.kubeconfigFile : real.kubeconfigFileOf(user)),
      isIdle: () => workloads.isIdle(),
      async serverCpuSeconds() {
        const [, seconds] = /^process_cpu_seconds_total (\S+)/m.exec(String(await cluster.raw('GET', '/metrics'))) ?? [];
        return seconds === undefined ? undefined : Number(seconds);
      },
      async stop() {
        requests.stop();
        await workloads.stop();
        for (const each of plain) each.close();
        await real.stop();
      },
    };
  } catch (error) {
    await real.stop();
    throw error;
  }
}

/** In this process, with all state in memory; Deployments are available at once. */
async function startEmbeddedPlane(): Promise<ControlPlane> {
  const bare = await startBareCluster();
  const { cluster, kubeconfigFile } = bare;
  return {
    kind: 'embedded',
    apiUrl: bare.apiUrl,
    cluster,
    plain: [cluster, cluster],
    requests: answeredRequests(bare.paths),
    folder: dirname(kubeconfigFile),
    kubeconfigFileOf: () => kubeconfigFile,
    isIdle: () => true,
    serverCpuSeconds: () => Promise.resolve(undefined),
    stop: () => bare.stop(),
  };
}

const administrator = (user: string) => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRoleBinding',
  metadata: { name: `bench-${user}` },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
  subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
});
