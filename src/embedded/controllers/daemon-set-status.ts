import type { DaemonSet } from '../../api/kinds/daemon-set.ts';
import type { Pod } from '../../api/kinds/pod.ts';
import { REVISION_HASH } from './daemon-set-pods.ts';
import { availableInMs, isPodReady, nextAvailableInMs } from './pods.ts';

/** A node as one DaemonSet sees it. */
export interface NodeSeen {
  name: string;
  shouldRun: boolean;
  mayStay: boolean;
  /** The set's pods there that are not terminating, oldest first. */
  pods: readonly Pod[];
  /** Pods that are being deleted, and have not ended: the status counts them. Source: updateDaemonSetStatus of kube-controller-manager. */
  leaving: readonly Pod[];
  /** A pod there is terminating: the next one waits for it. */
  isVacating: boolean;
}

export const isUpdated = (pod: Pod, hash: string): boolean => pod.metadata.labels?.[REVISION_HASH] === hash;

/** The pod by which a node is counted: a pod that has its node before a pod that waits for it, then the older. Source: updateDaemonSetStatus. */
function countedBy({ pods, leaving }: NodeSeen): Pod | undefined {
  const rank = ({ metadata, spec }: Pod) => `${spec.nodeName ? 0 : 1} ${metadata.creationTimestamp} ${metadata.name}`;
  return [...leaving, ...pods].toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1))[0];
}

/** The counts, and how long until a ready pod counts as available. The first four are always set, the others when they are not zero. */
export function daemonSetStatus(
  set: DaemonSet,
  seen: readonly NodeSeen[],
  hash: string,
  nowMs: number,
): { status: Record<string, unknown>; againInMs: number | undefined } {
  const counted = seen.map((node) => ({ shouldRun: node.shouldRun, pod: countedBy(node) }));
  const wanted = counted.filter(({ shouldRun }) => shouldRun);
  const scheduled = wanted.flatMap(({ pod }) => pod ?? []);
  const waits = scheduled.map((pod) => availableInMs(pod, Number(set.spec.minReadySeconds ?? 0), nowMs));
  const numberAvailable = waits.filter((ms) => ms === 0).length;
  const optional = {
    updatedNumberScheduled: scheduled.filter((pod) => isUpdated(pod, hash)).length,
    numberAvailable,
    numberUnavailable: wanted.length - numberAvailable,
  };
  const status = {
    currentNumberScheduled: scheduled.length,
    numberMisscheduled: counted.filter(({ shouldRun, pod }) => !shouldRun && pod !== undefined).length,
    desiredNumberScheduled: wanted.length,
    numberReady: scheduled.filter(isPodReady).length,
    observedGeneration: set.metadata.generation,
    ...Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== 0)),
  };
  return { status, againInMs: nextAvailableInMs(waits) };
}
