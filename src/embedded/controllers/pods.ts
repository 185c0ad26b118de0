import type { Condition } from '../../api/kinds/condition.ts';
import type { Pod } from '../../api/kinds/pod.ts';
import type { PodTemplate } from '../../api/kinds/pod-template.ts';
import { type KubeObject, type Labels, refOf } from '../../api/kube-object.ts';
import type { Cluster } from '../../kube/cluster.ts';
import { controllerReference } from './selectors.ts';

const readyCondition = (pod: Pod): Condition | undefined => pod.status?.conditions?.find(({ type }) => type === 'Ready');

export const isPodReady = (pod: Pod): boolean => readyCondition(pod)?.status === 'True';
export const isPodFinished = (pod: Pod): boolean => pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';
/** Neither finished nor terminating: counts as a replica. */
export const isPodActive = (pod: Pod): boolean => !isPodFinished(pod) && pod.metadata.deletionTimestamp === undefined;

/** Milliseconds until a pod counts as available: 0 when it does, infinite when it is not ready. */
export function availableInMs(pod: Pod, minReadySeconds: number, nowMs: number): number {
  const ready = readyCondition(pod);
  if (ready?.status !== 'True') return Number.POSITIVE_INFINITY;
  const readyMs = Date.parse(ready.lastTransitionTime ?? '');
  if (minReadySeconds === 0 || Number.isNaN(readyMs)) return 0;
  return Math.max(0, readyMs + minReadySeconds * 1000 - nowMs);
}

/** Milliseconds until the next of these pods counts as available, `undefined` if none will only by time. */
export function nextAvailableInMs(waits: readonly number[]): number | undefined {
  const soonest = Math.min(...waits.filter((ms) => ms > 0));
  return Number.isFinite(soonest) ? soonest + 10 : undefined;
}

/** A pod of a controller by its template, with more labels. */
export function podFrom(owner: KubeObject, { metadata = {}, spec }: PodTemplate, more: Labels = {}): KubeObject {
  const { labels, annotations } = metadata;
  const { name, namespace = '' } = owner.metadata;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    // The server makes the name from generateName; our type wants one, and an empty one does not count.
    metadata: {
      name: '',
      generateName: `${name}-`,
      namespace,
      labels: { ...labels, ...more },
      ...(annotations && { annotations }),
      ownerReferences: [controllerReference(owner)],
    },
    spec,
  };
}

/** Requests the deletion of a pod; from then on it counts as leaving. */
export async function deletePod(cluster: Cluster, leaving: Set<string>, pod: Pod): Promise<void> {
  const { uid = '' } = pod.metadata;
  leaving.add(uid);
  await cluster.delete(refOf(pod)).catch((error: unknown) => {
    leaving.delete(uid);
    throw error;
  });
}
