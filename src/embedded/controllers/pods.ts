import type { KubeObject } from '../../api/kube-object.ts';

interface PodCondition {
  type: string;
  status: string;
  lastTransitionTime?: string;
}

const readyCondition = (pod: KubeObject): PodCondition | undefined =>
  (pod.status?.conditions as PodCondition[] | undefined)?.find(({ type }) => type === 'Ready');

export const isPodReady = (pod: KubeObject): boolean => readyCondition(pod)?.status === 'True';
export const isPodFinished = (pod: KubeObject): boolean => pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';
/** Neither finished nor terminating: counts as a replica. */
export const isPodActive = (pod: KubeObject): boolean => !isPodFinished(pod) && pod.metadata.deletionTimestamp === undefined;

/** Milliseconds until a pod counts as available: 0 when it does, infinite when it is not ready. */
export function availableInMs(pod: KubeObject, minReadySeconds: number, nowMs: number): number {
  const ready = readyCondition(pod);
  if (ready?.status !== 'True') return Number.POSITIVE_INFINITY;
  const readyMs = Date.parse(ready.lastTransitionTime ?? '');
  if (minReadySeconds === 0 || Number.isNaN(readyMs)) return 0;
  return Math.max(0, readyMs + minReadySeconds * 1000 - nowMs);
}
