import type { Condition } from '../../api/kinds/condition.ts';
import type { Pod } from '../../api/kinds/pod.ts';
import type { PodDisruptionBudget } from '../../api/kinds/pod-disruption-budget.ts';
import { matchesSelector } from './selectors.ts';

/** Tests if a pod is under a budget. */
export const isUnder = ({ metadata, spec }: PodDisruptionBudget, pod: Pod): boolean =>
  metadata.namespace === pod.metadata.namespace && matchesSelector(spec.selector, pod.metadata.labels);

/** The condition `DisruptionAllowed` among the others, as the disruption controller and the eviction handler keep it. */
export function disruptionAllowed(
  before: readonly Condition[] | undefined,
  { disruptionsAllowed, observedGeneration }: { disruptionsAllowed: number; observedGeneration?: number | undefined },
  time: string,
): Condition[] {
  const isAllowed = disruptionsAllowed > 0;
  const condition = {
    type: 'DisruptionAllowed',
    status: isAllowed ? 'True' : 'False',
    ...(observedGeneration !== undefined && { observedGeneration }),
    reason: isAllowed ? 'SufficientPods' : 'InsufficientPods',
    message: '',
  };
  return withCondition(before, condition, time);
}

/** Its time changes only with its status. */
export function withCondition(before: readonly Condition[] = [], condition: Condition, time: string): Condition[] {
  const same = before.find(({ type }) => type === condition.type);
  const next = { ...condition, lastTransitionTime: same?.status === condition.status ? (same?.lastTransitionTime ?? time) : time };
  return same ? before.map((each) => (each === same ? next : each)) : [...before, next];
}
