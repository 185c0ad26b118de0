import type { Canary, Provider } from '../../api/canary.ts';
import { type ObjectRef, refKey, refOf } from '../../api/kube-object.ts';
import type { ArrivalPlan } from '../../arrival/plan.ts';
import { planFor } from '../../arrival/plan-for.ts';
import { workloadFor } from '../../workloads/index.ts';
import type { DepsOf } from '../controller-deps.ts';

/**
 * Effects of an arrival on the live application. `undefined` if the target is not found, or if no label tells its pods apart, which is refused elsewhere.
 * `isServing`: the primary exists, and nothing is refused.
 */
export async function arrivalPlan(
  canary: Canary,
  provider: Provider,
  { applications, config, signal }: DepsOf<'applications' | 'config'>,
  isServing: boolean,
): Promise<ArrivalPlan | undefined> {
  const workload = workloadFor(canary.spec.targetRef);
  if ('unsupported' in workload || !workload.hasPods) return undefined;
  const { objects, unread } = await applications.read(canary.metadata.namespace, provider, signal);
  const find = (ref: ObjectRef) => objects.find((one) => refKey(refOf(one)) === refKey(ref));
  const target = find(workload.targetRef(canary));
  if (target === undefined) return undefined;
  const primary = isServing ? find(workload.primaryRef(canary)) : undefined;
  const { selectorLabels, companions, arrival: mode } = config;
  const plan = planFor(
    canary,
    { target, primary, objects, unread },
    { selectorLabels, companions, provider, mode, isServing, routing: config },
  );
  return plan === undefined || 'problem' in plan ? undefined : plan;
}
