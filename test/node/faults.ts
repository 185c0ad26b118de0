import { setTimeout as sleep } from 'node:timers/promises';
import type { RealNode } from './real-node.ts';
import { refuseAccounts } from './refused-account.ts';

/** A controller on the node: its namespace has its Lease, whose name Flagger and Serin share, and its account. */
export type ControllerName = 'serin' | 'flagger';

const LEASE = 'flagger-leader-election';
export const FAULT_MS = 30_000;

/** The lease of the leader, from the API server. */
export async function leaseOf(node: RealNode, controller: ControllerName = 'serin') {
  const path = 'jsonpath={.spec.holderIdentity} {.spec.renewTime} {.spec.leaseTransitions}';
  const [holder = '', renewedAt = '', transitions = ''] = (await node.kubectl('get', 'lease', LEASE, '-n', controller, '-o', path)).split(
    ' ',
  );
  return { holder, renewedMs: Date.parse(renewedAt), transitions };
}

/** The pod that holds the lease, by the name in it. */
export async function leader(node: RealNode, controller: ControllerName = 'serin'): Promise<string> {
  const { holder } = await leaseOf(node, controller);
  return holder.split('_')[0] ?? '';
}

/** Sends a signal to all processes of the leader; gives them, for a further one. */
export async function signalLeader(node: RealNode, signal: NodeJS.Signals, controller: ControllerName = 'serin'): Promise<number[]> {
  const uid = await node.kubectl('get', 'pod', await leader(node, controller), '-n', controller, '-o', 'jsonpath={.metadata.uid}');
  const pids = await node.processesOf(uid);
  if (pids.length === 0) throw new Error(`no process of the leader of ${controller} is found on this node`);
  for (const pid of pids) process.kill(pid, signal);
  return pids;
}

export async function freezeLeader(node: RealNode): Promise<void> {
  const pids = await signalLeader(node, 'SIGSTOP');
  await sleep(FAULT_MS);
  for (const pid of pids) process.kill(pid, 'SIGCONT');
}

/** The only node: after 40 s its pods would all count as not ready. Throws where it went on. */
export async function haltKubelet({ name, kubelet, kubectl }: RealNode): Promise<void> {
  const renewedAt = () => kubectl('get', 'lease', name, '-n', 'kube-node-lease', '-o', 'jsonpath={.spec.renewTime}');
  kubelet.send('STOP');
  const before = await renewedAt();
  await sleep(FAULT_MS);
  const after = await renewedAt();
  kubelet.send('CONT');
  if (after !== before) throw new Error(`the kubelet of ${name} has gone on: it renewed its lease at ${after}`);
}

/** The API server refuses each request of the controller with 429 for half a minute. */
export const throttle = (node: RealNode, controller: ControllerName = 'serin'): Promise<void> => refuseAccounts(node, controller, FAULT_MS);
