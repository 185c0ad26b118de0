import { asDaemonSet } from '../../api/kinds/daemon-set.ts';
import type { Slim } from '../../api/kube-object.ts';
import type { Readiness } from '../../api/readiness.ts';
import type { Watched } from '../workload.ts';
import { isScaledToZero } from './scale-to-zero.ts';

/** Nodes that should run a pod; 0 when we have stopped all pods, otherwise at least 1, since replicas only mean zero or not. */
export function podsAskedFor(daemonSet: Slim): number {
  return isScaledToZero(daemonSet) ? 0 : Math.max(1, asDaemonSet(daemonSet).status?.desiredNumberScheduled ?? 1);
}

/** Pods that exist or could be starting; pods that we have stopped are counted as misscheduled until they are gone. */
export function podsLeft({ object }: Pick<Watched, 'object'>): number {
  const daemonSet = asDaemonSet(object);
  const { observedGeneration = 0, currentNumberScheduled = 0, numberMisscheduled = 0 } = daemonSet.status ?? {};
  const isBehind = (daemonSet.metadata.generation ?? 0) > observedGeneration;
  return Math.max(podsAskedFor(daemonSet), currentNumberScheduled + numberMisscheduled, isBehind ? 1 : 0);
}

/**
 * Readiness of a DaemonSet, in whole numbers. Its controller never gives up, so it never stalls; deadlines are the engine's and count from its own step, not
 * from the Canary's last transition. A DaemonSet that no node runs is not ready unless Serin stopped its pods: a primary without pods must not get the traffic.
 */
export function daemonSetReadiness(object: Slim, thresholdPercent: number): Readiness {
  const daemonSet = asDaemonSet(object);
  const { status = {}, metadata } = daemonSet;
  const wanted = status.desiredNumberScheduled ?? 0;
  const ready = status.numberAvailable ?? 0;
  const updated = status.updatedNumberScheduled ?? 0;
  const waiting = (what: string): Readiness => ({ state: 'waiting', ready, wanted, reason: `DaemonSet ${metadata.name}: ${what}` });

  if ((metadata.generation ?? 0) > (status.observedGeneration ?? 0)) return waiting('its last change is not observed yet');
  if (isScaledToZero(daemonSet)) return { state: 'ready', ready, wanted: 0 };
  if (wanted === 0) return waiting('no node takes its pods: see its nodeSelector, affinity and tolerations');
  if (updated < wanted) return waiting(`${updated} of ${wanted} pods are updated`);
  const needed = Math.max(1, Math.floor((wanted * thresholdPercent) / 100));
  if (ready < needed) return waiting(`${ready} of ${needed} needed pods are available (threshold ${thresholdPercent}%)`);
  return { state: 'ready', ready, wanted };
}

/** Every node without an updated pod could have an available one of the previous revision. */
export function updatedPods(daemonSet: Slim): number {
  const { metadata, status = {} } = asDaemonSet(daemonSet);
  if ((metadata.generation ?? 0) > (status.observedGeneration ?? 0)) return 0;
  const old = (status.desiredNumberScheduled ?? 0) - (status.updatedNumberScheduled ?? 0);
  return Math.max(0, (status.numberAvailable ?? 0) - old);
}

const DEFAULT_GRACE_S = 30;
/** Time for the kubelet and the DaemonSet's controller to report it. */
const SLACK_MS = 5_000;

/**
 * Kubernetes counts terminating pods of a DaemonSet: scaled up too early, they are the available pods in its status, and none answers. While our key is set,
 * `numberMisscheduled` is the number that is left. Source: updateDaemonSetStatus of kube-controller-manager.
 */
export function leavingForMs(object: Slim): number | undefined {
  const daemonSet = asDaemonSet(object);
  const { status = {}, metadata } = daemonSet;
  if (!isScaledToZero(daemonSet)) return undefined;
  const isObserved = (metadata.generation ?? 0) <= (status.observedGeneration ?? 0);
  if (isObserved && (status.numberMisscheduled ?? 0) === 0) return undefined;
  const graceS = daemonSet.spec.template.spec.terminationGracePeriodSeconds ?? DEFAULT_GRACE_S;
  return graceS * 1000 + SLACK_MS;
}
