import type { Canary } from '../../api/canary.ts';
import { asScaler } from '../../api/kinds/scaler.ts';
import { type KubeObject, refOf } from '../../api/kube-object.ts';
import { isForbidden, isNotFound } from '../../kube/errors.ts';
import { type ReplicaLimits, type Scaler, scalerFor, scalers } from '../../workloads/scalers/index.ts';
import { isPausedByUs } from '../../workloads/scalers/pause.ts';
import type { DepsOf } from '../controller-deps.ts';

/**
 * Resumes the user's scalers of the target before it is raised: a paused scaler would scale it to zero at once. All of the namespace are read, since the spec
 * can name another scaler than the paused one by now, or was never read. Returns the limits of the named scaler.
 */
export async function resumeScalers(canary: Canary, { cluster, signal }: DepsOf<'cluster'>): Promise<ReplicaLimits | undefined> {
  const { autoscalerRef, targetRef } = canary.spec;
  // The anchor holds the spec of a Canary that was deleted while Serin was down.
  const isOrphan = canary.metadata.generation === 0;
  if (!autoscalerRef && !isOrphan) return undefined;
  const { namespace } = canary.metadata;
  const scaler = autoscalerRef && scalerFor(autoscalerRef);
  const ref = scaler && { apiVersion: scaler.apiVersion, kind: scaler.kind, name: autoscalerRef.name, namespace };
  const scaled = scalers.ScaledObject;
  const isNamed = (object: KubeObject) => ref?.kind === scaled.kind && object.metadata.name === ref.name;
  const paused = await scalersOfKind(canary, scaled, { cluster, signal });
  for (const object of paused.filter((one) => isScalerOf(one, targetRef.name) && (isNamed(one) || isPausedByUs(one)))) {
    const patch = scaled.resumePatch(object);
    if (patch) await cluster.patch(refOf(object), { ...patch }, { signal });
  }
  const own = ref && (await cluster.get(ref, { signal }));
  return own && scaler.limits(own);
}

/**
 * Gives the minimum that a release has raised back to the user. All scalers of the target are looked at, since the spec can name another one now, or was never
 * read.
 */
export async function restoreMinimums(canary: Canary, { cluster, signal }: DepsOf<'cluster'>): Promise<void> {
  // The anchor holds the spec of a Canary that was deleted while Serin was down.
  const hasScaler = canary.spec.autoscalerRef !== undefined || canary.status?.release?.scaler !== undefined;
  if (!hasScaler && canary.metadata.generation !== 0) return;
  for (const scaler of Object.values(scalers)) {
    for (const object of await scalersOfKind(canary, scaler, { cluster, signal })) {
      if (!isScalerOf(object, canary.spec.targetRef.name)) continue;
      const patch = scaler.raisePatch(object, undefined);
      if (patch) await cluster.patch(refOf(object), { ...patch }, { signal });
    }
  }
}

const isScalerOf = (scaler: KubeObject, target: string): boolean => asScaler(scaler).spec?.scaleTargetRef?.name === target;

async function scalersOfKind(
  canary: Canary,
  { apiVersion, kind }: Pick<Scaler, 'apiVersion' | 'kind'>,
  { cluster, signal }: DepsOf<'cluster'>,
): Promise<KubeObject[]> {
  try {
    const { items } = await cluster.list({ apiVersion, kind, namespace: canary.metadata.namespace }, { signal });
    return items.map((item) => ({ ...item, apiVersion, kind }));
  } catch (error) {
    // Without the kind, or without any permission for it, we cannot have written one.
    const isUnknown = isNotFound(error) || (isForbidden(error) && canary.spec.autoscalerRef?.kind !== kind);
    if (isUnknown) return [];
    throw error;
  }
}
