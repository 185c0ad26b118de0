import { dirname } from 'node:path';
import { loadConnection } from '../../../src/kube/connect.ts';
import { createCluster } from '../../../src/kube/create-cluster.ts';
import type { KubeCluster } from '../../../src/kube/kube-cluster.ts';
import { startRealCluster } from '../../e2e/real-cluster.ts';
import { applyCrds } from '../../scenarios/environment.ts';
import { startBareCluster } from '../bare-cluster.ts';
import { startDeploymentStatus } from './deployment-status.ts';
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

export type User = 'serin' | 'flagger';

const PLAIN = 'plain';
const USERS: readonly User[] = ['serin', 'flagger'];
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
  kind === 'real' ? startRealPlane(say) : startEmbeddedPlane();

/**
 * etcd and kube-apiserver, which serves the controllers as it serves pods: requests of each user wait in queues of their own, and none of them
 * is exempt. kube-controller-manager is left out: it would have the CPU that is to be measured.
 */
async function startRealPlane(say: (line: string) => void): Promise<ControlPlane> {
  const real = await startRealCluster({
    say,
    people: ['flagger', PLAIN],
    // As service accounts of pods are.
    groups: ['system:serviceaccounts'],
    fairness: true,
    controllers: false,
    auditPolicy: AUDIT_POLICY,
    // Room for three Services of each of ten thousand Canaries, for two controllers and the plain client.
    serverFlags: ['--service-cluster-ip-range=10.96.0.0/12', `--audit-log-maxsize=${MOST_OF_LOG}`],
  });
  const { cluster } = real;
  try {
    await applyCrds(cluster);
    for (const user of ['flagger', PLAIN]) await cluster.create(administrator(user));
    const connection = await loadConnection({ kubeconfig: real.kubeconfigFileOf(PLAIN), userAgent: 'plain' });
    const makePlain = () => createCluster(connection, { requestTimeoutMs: ANSWER_WITHIN_MS });
    const plain = [makePlain(), makePlain()] as const;
    const requests = readRequests(real.auditLog, USERS);
    const statuses = startDeploymentStatus(cluster);
    await statuses.synced;
    return {
      kind: 'real',
      apiUrl: real.apiUrl,
      cluster,
      plain,
      requests,
      folder: real.folder,
      kubeconfigFileOf: (user) => (user === 'serin' ? real.kubeconfigFile : real.kubeconfigFileOf(user)),
      isIdle: () => statuses.isIdle(),
      async serverCpuSeconds() {
        const [, seconds] = /^process_cpu_seconds_total (\S+)/m.exec(String(await cluster.raw('GET', '/metrics'))) ?? [];
        return seconds === undefined ? undefined : Number(seconds);
      },
      async stop() {
        requests.stop();
        statuses.stop();
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
