import type { HpaMetric } from '../../api/kinds/horizontal-pod-autoscaler.ts';

/** Current usage of the target's pods. */
export interface Usage {
  /** CPU of all ready pods together, in millicores; `undefined` if it is not measured. */
  totalMillicores: number | undefined;
  readyPods: number;
  /** CPU that one pod requests, in millicores; `undefined` if a container requests none. */
  requestMillicores: number | undefined;
}

export interface MeasuredMetric {
  /** For `status.currentMetrics`. */
  current: object;
  /** Replicas that this metric wants. */
  replicas: number;
}

/** Ratios this near to 1 change nothing. Source: kube-controller-manager, --horizontal-pod-autoscaler-tolerance. */
const TOLERANCE = 0.1;

/**
 * Replicas by one CPU metric: ceil(ready pods × current ÷ target), or the replicas of now within the tolerance. Another metric, or no
 * measurement, is the sentence that says so. Source: Kubernetes documentation, "Horizontal Pod Autoscaling", algorithm details.
 */
export function desiredBy(metric: HpaMetric, usage: Usage, replicas: number): MeasuredMetric | { unmeasured: string } {
  const resource = metric.type === 'Resource' ? metric.resource : undefined;
  if (resource?.name !== 'cpu') return { unmeasured: `only cpu is measured here, not ${resource?.name ?? metric.type}` };
  const { name, target } = resource;
  const { totalMillicores, readyPods, requestMillicores } = usage;
  if (totalMillicores === undefined) return { unmeasured: 'no demand is set on the target' };
  if (readyPods === 0) return { unmeasured: 'no pod is ready' };
  const average = totalMillicores / readyPods;
  if (target.type === 'Utilization' && !requestMillicores) return { unmeasured: 'a container has no cpu request' };
  const utilization = requestMillicores ? Math.floor((average / requestMillicores) * 100) : undefined;
  const ratio =
    target.type === 'Utilization'
      ? (utilization ?? 0) / Number(target.averageUtilization)
      : average / (millicores(target.averageValue) ?? average);
  const current = {
    averageValue: `${Math.round(average)}m`,
    ...(target.type === 'Utilization' ? { averageUtilization: utilization } : {}),
  };
  return {
    current: { type: 'Resource', resource: { name, current } },
    // Less a billionth, so that a ratio which is whole but for its last bit is not rounded up.
    replicas: ratio >= 1 - TOLERANCE && ratio <= 1 + TOLERANCE ? replicas : Math.max(0, Math.ceil(readyPods * ratio - 1e-9)),
  };
}

/** A CPU quantity in millicores: `100m`, `2`, `0.5`. */
export function millicores(quantity: unknown): number | undefined {
  const text = String(quantity ?? '');
  if (/^\d+m$/.test(text)) return Number.parseInt(text, 10);
  return /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : undefined;
}
