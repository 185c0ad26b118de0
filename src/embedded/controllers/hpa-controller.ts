import type { Deployment } from '../../api/kinds/deployment.ts';
import { type HorizontalPodAutoscaler, scaleTargetRefOf } from '../../api/kinds/horizontal-pod-autoscaler.ts';
import type { Pod } from '../../api/kinds/pod.ts';
import { timestamp } from '../../base/timestamp.ts';
import type { Cluster } from '../../kube/cluster.ts';
import { desiredBy, type MeasuredMetric, millicores, type Usage } from './hpa-desired.ts';
import { type ObjectStore, writeStatus } from './object-store.ts';
import { isPodActive, isPodReady } from './pods.ts';
import { matchesSelector } from './selectors.ts';
import type { Stores } from './stores.ts';

/** On the scale target: the CPU that all its pods use together, in millicores. It replaces a metrics API, which nothing here has. */
export const DEMAND_ANNOTATION = 'serin.dev/demand-millicores';

/** The Deployment that an HPA scales; other kinds are ignored. */
export const scaleTargetOf = (hpa: HorizontalPodAutoscaler): string | undefined =>
  hpa.spec?.scaleTargetRef?.kind === 'Deployment' ? `${hpa.metadata.namespace}/${hpa.spec.scaleTargetRef.name}` : undefined;

/** One pass over one HPA: scales its Deployment to the demand within min and max, then writes its status. `behavior` is not read. */
export async function syncAutoscaler(cluster: Cluster, stores: Stores, key: string, nowMs: number): Promise<undefined> {
  const { autoscalers, deployments, pods } = stores;
  const hpa = autoscalers.get(key);
  const targetKey = hpa && scaleTargetOf(hpa);
  if (!hpa || !targetKey || hpa.metadata.deletionTimestamp) return;
  const target = deployments.get(targetKey);
  const decision = target
    ? decide(hpa, target, pods)
    : { conditions: [says('AbleToScale', false, 'FailedGetScale', `${targetKey} not found`)] };
  const replicas = Number(target?.spec.replicas ?? 0);
  const isScaling = decision.desired !== undefined && decision.desired !== replicas;
  if (isScaling && target) await cluster.patch(scaleTargetRefOf(hpa), { spec: { replicas: decision.desired } }, { subresource: 'scale' });
  const time = timestamp(nowMs);
  const before = hpa.status ?? {};
  const status = {
    ...(isScaling ? { lastScaleTime: time } : before.lastScaleTime ? { lastScaleTime: before.lastScaleTime } : {}),
    currentReplicas: Number(target?.status?.replicas ?? 0),
    desiredReplicas: decision.desired ?? replicas,
    currentMetrics: decision.current?.length ? decision.current : null,
    conditions: decision.conditions.map((condition) => {
      const same = (before.conditions ?? []).find((each) => each.type === condition.type && each.status === condition.status);
      return { ...condition, lastTransitionTime: same?.lastTransitionTime ?? time };
    }),
  };
  await writeStatus(cluster, autoscalers, hpa, status);
}

interface ScalingDecision {
  /** `undefined` leaves the target unmodified. */
  desired?: number;
  current?: object[];
  conditions: { type: string; status: string; reason: string; message: string }[];
}

const says = (type: string, isTrue: boolean, reason: string, message: string) => ({
  type,
  status: isTrue ? 'True' : 'False',
  reason,
  message,
});
const able = says('AbleToScale', true, 'ReadyForNewScale', 'the target can be scaled');

function decide(hpa: HorizontalPodAutoscaler, target: Deployment, pods: ObjectStore<Pod>): ScalingDecision {
  const replicas = Number(target.spec.replicas ?? 1);
  const { minReplicas = 1, maxReplicas, metrics = [] } = hpa.spec;
  // Zero means switched off by hand.
  if (replicas === 0)
    return { desired: 0, conditions: [able, says('ScalingActive', false, 'ScalingDisabled', 'the target has zero replicas')] };
  const clamped = (count: number): number => Math.min(maxReplicas, Math.max(minReplicas, count));
  const measured = metrics.map((metric) => desiredBy(metric, usageOf(target, pods), replicas));
  const found = measured.filter((each): each is MeasuredMetric => 'replicas' in each);
  const failed = measured.flatMap((each) => ('unmeasured' in each ? [each.unmeasured] : []));
  if (found.length === 0)
    return {
      desired: clamped(replicas),
      conditions: [able, says('ScalingActive', false, 'FailedGetResourceMetric', failed.join('; ') || 'no metric is given')],
    };
  // With a part unmeasured the rest may only scale up.
  const wanted = Math.max(...found.map((each) => each.replicas), failed.length > 0 ? replicas : 0);
  const desired = clamped(wanted);
  const asked = `the demand is ${wanted} replicas, between ${minReplicas} and ${maxReplicas}`;
  const limit = wanted > desired ? 'TooManyReplicas' : wanted < desired ? 'TooFewReplicas' : 'DesiredWithinRange';
  return {
    desired,
    current: found.map(({ current }) => current),
    conditions: [
      able,
      says('ScalingActive', true, 'ValidMetricFound', 'a replica count was calculated from cpu'),
      says('ScalingLimited', wanted !== desired, limit, asked),
    ],
  };
}

function usageOf(target: Deployment, pods: ObjectStore<Pod>): Usage {
  const isOwn = ({ metadata }: Pod): boolean =>
    metadata.namespace === target.metadata.namespace && matchesSelector(target.spec.selector, metadata.labels);
  const ready = pods.list().filter((pod) => isOwn(pod) && isPodActive(pod) && isPodReady(pod));
  const requests = (target.spec.template.spec.containers ?? []).map((container) =>
    millicores(container.resources?.requests?.cpu ?? container.resources?.limits?.cpu),
  );
  return {
    totalMillicores: millicores(`${target.metadata.annotations?.[DEMAND_ANNOTATION] ?? ''}m`),
    readyPods: ready.length,
    requestMillicores: requests.every((each) => each !== undefined)
      ? requests.reduce((sum: number, each) => sum + Number(each), 0)
      : undefined,
  };
}
