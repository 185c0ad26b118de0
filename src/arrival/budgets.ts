import type { Canary } from '../api/canary.ts';
import type { LabelSelector } from '../api/kinds/label-selector.ts';
import { specOf } from '../api/kinds/spec-of.ts';
import { groupOf, type KubeObject, refOf } from '../api/kube-object.ts';
import { scalers } from '../workloads/scalers/index.ts';
import type { Loss } from './plan.ts';
import { type LivingApplication, selectedIn } from './world.ts';

interface BudgetSpec {
  selector: LabelSelector;
  minAvailable: number | string;
}

/**
 * Budgets that select only the target's pods and let no pod of a canary be evicted, though they let the application's. Only a scaler starts a canary with fewer
 * pods than the application has.
 */
export function budgetsAtArrival(canary: Canary, world: LivingApplication): Loss[] {
  const scaler = world.objects.find((one) => isScalerOf(canary, one));
  const { replicas: before } = world.primary;
  if (scaler === undefined || before === undefined) return [];
  const start = scalers.HorizontalPodAutoscaler.startReplicas(scaler);
  return world.objects.flatMap((object): Loss[] => {
    if (object.kind !== 'PodDisruptionBudget' || groupOf(object.apiVersion) !== 'policy') return [];
    const { selector, minAvailable } = specOf<BudgetSpec>(object);
    const { namespace = '' } = object.metadata;
    const { target, primary } = selectedIn(world, namespace, selector);
    if (namespace !== world.namespace || !target || primary) return [];
    const [atStart, atFirst] = [start, before].map((pods) => evictable(minAvailable, pods));
    if (atStart === undefined || atFirst === undefined || atStart > 0 || atFirst === 0) return [];
    const pods = start === 1 ? '1 pod' : `${start} pods`;
    return [
      {
        ...{ code: 'WouldBeLost', kind: 'availability', isRefused: false, object: refOf(object), field: 'spec.minAvailable' },
        detail: `is ${minAvailable}, and a canary starts with ${pods}, minReplicas of ${scaler.kind} ${scaler.metadata.name}: a drain cannot evict any of them`,
        remedy: 'let it have maxUnavailable: 1 instead, or raise minReplicas above it',
      },
    ];
  });
}

/** The HorizontalPodAutoscaler that the Canary names, or that KEDA made from the ScaledObject that it names. */
function isScalerOf({ metadata, spec: { autoscalerRef } }: Canary, object: KubeObject): boolean {
  if (object.kind !== 'HorizontalPodAutoscaler' || object.metadata.namespace !== metadata.namespace) return false;
  const name = autoscalerRef?.kind === 'ScaledObject' ? scaledObjectOf(object) : object.metadata.name;
  return name !== undefined && name === autoscalerRef?.name;
}

/** The ScaledObject from which KEDA made this HorizontalPodAutoscaler. */
export const scaledObjectOf = ({ metadata }: KubeObject): string | undefined =>
  metadata.ownerReferences?.find(({ kind }) => kind === 'ScaledObject')?.name;

/**
 * Number of `pods` ready pods that can be evicted at once; undefined if the budget has no valid `minAvailable`. A percentage is rounded up (Kubernetes,
 * disruption.go).
 */
function evictable(minAvailable: unknown, pods: number): number | undefined {
  if (typeof minAvailable === 'number') return Math.max(0, pods - minAvailable);
  const percent = typeof minAvailable === 'string' ? /^(\d+)%$/.exec(minAvailable)?.[1] : undefined;
  return percent === undefined ? undefined : Math.max(0, pods - Math.ceil((Number(percent) * pods) / 100));
}
