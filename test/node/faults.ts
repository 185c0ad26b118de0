import { setTimeout as sleep } from 'node:timers/promises';
import { administrator } from './installed.ts';
import type { RealNode } from './real-node.ts';

/** Where it was installed. */
const NAMESPACE = 'serin';
const LEASE = 'flagger-leader-election';
export const FAULT_MS = 30_000;

/** The pod that holds the lease, by the name in it. */
export async function leader(node: RealNode): Promise<string> {
  const holder = await node.kubectl('get', 'lease', LEASE, '-n', NAMESPACE, '-o', 'jsonpath={.spec.holderIdentity}');
  return holder.split('_')[0] ?? '';
}

/** Sends a signal to all processes of the leader; gives them, for a further one. */
export async function signalLeader(node: RealNode, signal: NodeJS.Signals): Promise<number[]> {
  const uid = await node.kubectl('get', 'pod', await leader(node), '-n', NAMESPACE, '-o', 'jsonpath={.metadata.uid}');
  const pids = await node.processesOf(uid);
  for (const pid of pids) process.kill(pid, signal);
  return pids;
}

export async function freezeLeader(node: RealNode): Promise<void> {
  const pids = await signalLeader(node, 'SIGSTOP');
  await sleep(FAULT_MS);
  for (const pid of pids) process.kill(pid, 'SIGCONT');
}

/** The only node: after 40 s its pods would all count as not ready. */
export async function haltKubelet({ kubelet }: RealNode): Promise<void> {
  kubelet.send('STOP');
  await sleep(FAULT_MS);
  kubelet.send('CONT');
}

/** The API server refuses each request of the controller with 429 for half a minute, by its own priority and fairness. */
export async function throttle(node: RealNode): Promise<void> {
  const name = `throttled-${NAMESPACE}`;
  const level = {
    apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
    kind: 'PriorityLevelConfiguration',
    metadata: { name },
    spec: {
      type: 'Limited',
      limited: { nominalConcurrencyShares: 0, lendablePercent: 0, borrowingLimitPercent: 0, limitResponse: { type: 'Reject' } },
    },
  };
  const flow = {
    apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
    kind: 'FlowSchema',
    metadata: { name },
    spec: {
      priorityLevelConfiguration: { name },
      matchingPrecedence: 2,
      rules: [
        {
          subjects: [{ kind: 'ServiceAccount', serviceAccount: { name: '*', namespace: NAMESPACE } }],
          resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'], clusterScope: true }],
        },
      ],
    },
  };
  await administrator(node).apply(level, flow);
  await sleep(FAULT_MS);
  await node.kubectl('delete', 'flowschema,prioritylevelconfiguration', name);
}
