import type { KubeObject } from '../../api/kube-object.ts';
import { REVISION_HASH } from './daemon-set-pods.ts';
import { availableInMs, isPodReady } from './pods.ts';

/** A node as one DaemonSet sees it. */
export interface NodeSeen {
  name: string;
  shouldRun: boolean;
  mayStay: boolean;
  /** The set's pods there that are not on their way out, oldest first. */
  pods: readonly KubeObject[];
  /** Those that are, and have not ended: the status counts them. Source: updateDaemonSetStatus of kube-controller-manager. */
  leaving: readonly KubeObject[];
  /** A pod there is on its way out: the next one waits for it. */
  isVacating: boolean;
}

export const isUpdated = (pod: KubeObject, hash: string): boolean => pod.metadata.labels?.[REVISION_HASH] === hash;

/** The counts, and how long until a ready pod counts as available. The first four are always told, the others when they are not zero. */
export function daemonSetStatus(
  set: KubeObject,
  seen: readonly NodeSeen[],
  hash: string,
  nowMs: number,
): { status: Record<string, unknown>; againInMs?: number } {
  const counted = seen.map(({ shouldRun, pods, leaving }) => ({ shouldRun, pods: [...leaving, ...pods] }));
  const wanted = counted.filter(({ shouldRun }) => shouldRun);
  const waits = wanted.map(({ pods }) =>
    Math.min(...pods.map((pod) => availableInMs(pod, Number(set.spec.minReadySeconds ?? 0), nowMs)), Number.POSITIVE_INFINITY),
  );
  const numberAvailable = waits.filter((ms) => ms === 0).length;
  const optional = {
    updatedNumberScheduled: wanted.filter(({ pods }) => pods.some((pod) => isUpdated(pod, hash))).length,
    numberAvailable,
    numberUnavailable: wanted.length - numberAvailable,
  };
  const status = {
    currentNumberScheduled: wanted.filter(({ pods }) => pods.length > 0).length,
    numberMisscheduled: counted.filter(({ shouldRun, pods }) => !shouldRun && pods.length > 0).length,
    desiredNumberScheduled: wanted.length,
    numberReady: wanted.filter(({ pods }) => pods.some(isPodReady)).length,
    observedGeneration: set.metadata.generation,
    ...Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== 0)),
  };
  const soonest = Math.min(...waits.filter((ms) => ms > 0));
  return Number.isFinite(soonest) ? { status, againInMs: soonest + 10 } : { status };
}
