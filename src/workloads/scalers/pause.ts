import type { KubeObject } from '../../api/kube-object.ts';
import type { MergePatch } from './scaler.ts';

/** KEDA holds the workload at this number of pods while the annotation exists. */
export const pausedReplicas = 'autoscaling.keda.sh/paused-replicas';
/** On a ScaledObject that we paused: the user's own value of `pausedReplicas`, empty if it had none. */
export const pausedByUsAnnotation = 'serin.dev/paused-replicas-before';

/** Holds the target at zero only by the annotation, and records the user's value to restore it. */
export function pausePatch(scaler: KubeObject): MergePatch | undefined {
  const { annotations = {} } = scaler.metadata;
  const own = annotations[pausedReplicas];
  if (own === '0') return undefined;
  return patchOf(scaler, { [pausedReplicas]: '0', [pausedByUsAnnotation]: own ?? '' });
}

/**
 * Ends the pause. A zero without our note was left by Flagger, which makes no notes: with it no release could ever start, so it is also removed. Any other
 * value is the user's.
 */
export function resumePatch(scaler: KubeObject): MergePatch | undefined {
  const { annotations = {} } = scaler.metadata;
  const before = annotations[pausedByUsAnnotation];
  if (before !== undefined) return patchOf(scaler, { [pausedReplicas]: before === '' ? null : before, [pausedByUsAnnotation]: null });
  return annotations[pausedReplicas] === '0' ? patchOf(scaler, { [pausedReplicas]: null }) : undefined;
}

export function isPausedByUs(scaler: KubeObject): boolean {
  return scaler.metadata.annotations?.[pausedByUsAnnotation] !== undefined;
}

function patchOf(scaler: KubeObject, annotations: Record<string, string | null>): MergePatch {
  const { resourceVersion } = scaler.metadata;
  return { metadata: { ...(resourceVersion === undefined ? {} : { resourceVersion }), annotations } };
}
