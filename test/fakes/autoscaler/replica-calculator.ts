/** Ratios this near to 1 change nothing. Source: kube-controller-manager, --horizontal-pod-autoscaler-tolerance. */
const TOLERANCE = 0.1;

/** A pod as the calculation takes it. */
export interface MeasuredPod {
  /** Pending, or not ready: what it uses says nothing about the load. */
  isUnready: boolean;
  /** `undefined` if the metrics API does not know it. */
  usage: number | undefined;
}

/**
 * Replicas by a metric of each pod, against an average, both in whole units. Unready pods, and pods without a metric, count cautiously. If the other pods need
 * no fewer replicas, they count as idle; otherwise pods without a metric count as using `missingUses`. If this reverses the direction, nothing changes.
 * `undefined` if nothing is measured.
 * Source: Kubernetes pkg/controller/podautoscaler/replica_calculator.go, calcPlainMetricReplicas and GetResourceReplicas.
 */
export function replicasByPods(
  pods: readonly MeasuredPod[],
  average: number,
  current: number,
  missingUses: number = average,
): number | undefined {
  const measured = pods.flatMap(({ isUnready, usage }) => (isUnready || usage === undefined ? [] : [usage]));
  const missing = pods.filter(({ isUnready, usage }) => !isUnready && usage === undefined).length;
  const unready = pods.filter(({ isUnready }) => isUnready).length;
  if (measured.length === 0) return undefined;
  const used = sum(measured);
  const ratio = down(used / measured.length) / average;
  const isUp = ratio > 1;
  if (missing === 0 && (unready === 0 || !isUp)) return isNear(ratio) ? current : up(ratio * measured.length);
  const counted = measured.length + missing + (isUp ? unready : 0);
  const cautious = down((used + (ratio < 1 ? missing * missingUses : 0)) / counted) / average;
  if (isNear(cautious) || cautious > 1 !== isUp) return current;
  const wanted = up(cautious * counted);
  return (isUp && wanted < current) || (!isUp && wanted > current) ? current : wanted;
}

/** Replicas by one number against a value for all pods: ready pods × ratio. Source: the same, getUsageRatioReplicaCount. */
export function replicasByValue(value: number, target: number, ready: number, current: number): number {
  const ratio = value / target;
  return isNear(ratio) ? current : up(ratio * ready);
}

/** Replicas by one number against an average for each existing pod. Source: the same, GetExternalPerPodMetricReplicas. */
export function replicasByAverage(value: number, average: number, existing: number): number {
  return isNear(value / (average * existing)) ? existing : up(value / average);
}

const isNear = (ratio: number): boolean => Math.abs(1 - ratio) <= TOLERANCE;
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
/** Give or take a billionth: a number that is whole but for its last bit stays that number. */
const down = (usage: number): number => Math.floor(usage + 1e-9);
const up = (replicas: number): number => Math.ceil(replicas - 1e-9);
