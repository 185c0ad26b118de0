import type { Condition } from '../../api/kinds/condition.ts';
import type { Pod } from '../../api/kinds/pod.ts';

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
