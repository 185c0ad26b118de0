import type { HorizontalPodAutoscaler, HpaScalingRules } from '../../../src/api/kinds/horizontal-pod-autoscaler.ts';

type ScalingBounds = Pick<HorizontalPodAutoscaler['spec'], 'minReplicas' | 'maxReplicas' | 'behavior'>;

/** Recommendations and scalings of an HPA in the past; oldest first. */
export interface Past {
  recommendations: { atMs: number; replicas: number }[];
  events: { atMs: number; change: number }[];
}

/** Source: Kubernetes pkg/apis/autoscaling/v2/defaults.go. */
const UP: HpaScalingRules = {
  stabilizationWindowSeconds: 0,
  selectPolicy: 'Max',
  policies: [
    { type: 'Pods', value: 4, periodSeconds: 15 },
    { type: 'Percent', value: 100, periodSeconds: 15 },
  ],
};
const DOWN: HpaScalingRules = {
  stabilizationWindowSeconds: 300,
  selectPolicy: 'Max',
  policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }],
};

/**
 * The replicas to write now. Bounds apply first and at once, with or without a measurement. An undefined recommendation (nothing is measured) changes nothing
 * and is not remembered. Source: the same, podautoscaler/horizontal.go, reconcileAutoscaler.
 */
export function ruledReplicas(spec: ScalingBounds, past: Past, wanted: number | undefined, current: number, nowMs: number): number {
  const { minReplicas = 1, maxReplicas, behavior } = spec;
  if (current > maxReplicas) return maxReplicas;
  if (current < minReplicas) return minReplicas;
  if (wanted === undefined) return current;
  const since = (seconds: number) => past.recommendations.filter(({ atMs }) => atMs > nowMs - seconds * 1000).map((one) => one.replicas);
  const ruled = behavior ? byBehavior(behavior, past, wanted, current, nowMs, since) : byDefault(wanted, current, since);
  past.recommendations.push({ atMs: nowMs, replicas: wanted });
  return Math.max(minReplicas, Math.min(maxReplicas, ruled));
}

type Since = (seconds: number) => number[];

/** Source: the same, normalizeDesiredReplicas: an HPA without `behavior` has no policies, also not the defaults of an empty `behavior`. */
function byDefault(wanted: number, current: number, since: Since): number {
  return Math.min(Math.max(wanted, ...since(DOWN.stabilizationWindowSeconds)), Math.max(2 * current, 4));
}

/**
 * The highest recommendation of the window before fewer, the lowest of its own window before more, no faster than the policies let it.
 * Source: the same, stabilizeRecommendationWithBehaviors and convertDesiredReplicasWithBehaviorRate.
 */
function byBehavior(
  behavior: NonNullable<ScalingBounds['behavior']>,
  past: Past,
  wanted: number,
  current: number,
  nowMs: number,
  since: Since,
): number {
  const upRules: HpaScalingRules = { ...UP, ...behavior.scaleUp };
  const downRules: HpaScalingRules = { ...DOWN, ...behavior.scaleDown };
  const lowest = Math.min(wanted, ...since(upRules.stabilizationWindowSeconds));
  const highest = Math.max(wanted, ...since(downRules.stabilizationWindowSeconds));
  const stable = Math.max(Math.min(current, highest), lowest);
  if (stable > current) return Math.min(stable, Math.max(current, limit(upRules, past, current, nowMs, 1)));
  return Math.max(stable, Math.min(current, limit(downRules, past, current, nowMs, -1)));
}

/** Limit of the policies in one direction, from the replicas at the start of their periods. */
function limit({ policies, selectPolicy }: HpaScalingRules, { events }: Past, current: number, nowMs: number, sign: 1 | -1): number {
  if (selectPolicy === 'Disabled') return current;
  const limits = policies.map(({ type, value, periodSeconds }) => {
    const recent = events.filter(({ atMs }) => atMs > nowMs - periodSeconds * 1000);
    const start = current - recent.reduce((total, { change }) => total + change, 0);
    if (type === 'Pods') return start + sign * value;
    return sign > 0 ? Math.ceil(start * (1 + value / 100)) : Math.trunc(start * (1 - value / 100));
  });
  const isWidest = (selectPolicy === 'Max') === sign > 0;
  return isWidest ? Math.max(...limits) : Math.min(...limits);
}
