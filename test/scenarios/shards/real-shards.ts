import { startNodes } from '../../../src/embedded/nodes/index.ts';
import { podCallsBy } from '../../../src/embedded/nodes/pod-calls.ts';
import type { KubeCluster } from '../../../src/kube/kube-cluster.ts';
import { startRealCluster } from '../../e2e/real-cluster.ts';
import { applyCrds } from '../environment.ts';
import { LEASE_AUDIT_POLICY, type LeaseAudit, PROCESS_GROUP, readLeaseAudit } from './lease-audit.ts';

/** Size in megabytes at which the log rotates: a rotation would lose writes. */
const MOST_OF_LOG = 100_000;

export interface RealShards {
  /** An administrator's client. */
  readonly cluster: KubeCluster;
  /** Kubeconfig of the user for this process. */
  kubeconfigFileOf(process: number): string;
  /** Complete after `endAudit`. */
  readonly leaseAudit: LeaseAudit;
  endAudit(): void;
  stop(): Promise<void>;
}

/** etcd, kube-apiserver, kube-controller-manager and nodes, for so many processes of Serin; each is a user of its own with the controller's role. */
export async function startRealShards(processes: number): Promise<RealShards> {
  const userOf = (process: number) => `serin-process-${process}`;
  const real = await startRealCluster({
    people: Array.from({ length: processes }, (_, process) => userOf(process)),
    groups: [PROCESS_GROUP],
    auditPolicy: LEASE_AUDIT_POLICY,
    serverFlags: [`--audit-log-maxsize=${MOST_OF_LOG}`],
  });
  const { cluster } = real;
  const leaseAudit = readLeaseAudit(real.auditLog);
  try {
    await applyCrds(cluster);
    await cluster.create({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: PROCESS_GROUP },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'serin-e2e' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: PROCESS_GROUP }],
    });
    const nodes = startNodes(cluster, {
      // Probes run at the pods' own interval: with hundreds of pods, more would take the machine from the processes.
      probeScale: 1,
      calls: podCallsBy(cluster),
    });
    await nodes.ready;
    return {
      cluster,
      kubeconfigFileOf: (process) => real.kubeconfigFileOf(userOf(process)),
      leaseAudit,
      endAudit: () => leaseAudit.stop(),
      async stop() {
        leaseAudit.stop();
        await nodes.stop();
        await real.stop();
      },
    };
  } catch (error) {
    leaseAudit.stop();
    await real.stop();
    throw error;
  }
}
