import { asDeployment } from '../../../src/api/kinds/deployment.ts';
import {
  asHorizontalPodAutoscaler,
  type HorizontalPodAutoscaler,
  type HpaMetric,
  type HpaResource,
  scaleTargetRefOf,
} from '../../../src/api/kinds/horizontal-pod-autoscaler.ts';
import { asPod, type Pod } from '../../../src/api/kinds/pod.ts';
import { parseQuantity } from '../../../src/api/quantity.ts';
import { type Clock, systemClock } from '../../../src/base/clock.ts';
import { isPodActive, isPodReady } from '../../../src/embedded/controllers/pods.ts';
import { matchesSelector } from '../../../src/embedded/controllers/selectors.ts';
import type { Cluster } from '../../../src/kube/cluster.ts';
import { type MeasuredPod, replicasByAverage, replicasByPods, replicasByValue } from './replica-calculator.ts';
import { type Past, ruledReplicas } from './scaling-rules.ts';

const HPA = { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler' } as const;
const SYNC_MS = 15_000;
/** Kubernetes calculates in whole thousandths. */
const MILLI = 0.001;
/** Source: Kubernetes pkg/apis/autoscaling/v2/defaults.go. */
const DEFAULT_METRICS: readonly HpaMetric[] = [
  { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } },
];

/** Replaces the metrics APIs. A value is `undefined` if it is not measured. */
export interface HpaMetrics {
  /** Usage of a pod, in the unit of the target's `averageValue`. */
  ofPod(pod: Pod, resource: string): number | undefined;
  /** Value of an External or Object metric. */
  ofMetric(name: string): number | undefined;
}

export interface HpaOptions {
  namespace: string;
  metrics: HpaMetrics;
  /** Between two looks; default: as kube-controller-manager's `--horizontal-pod-autoscaler-sync-period`. */
  syncMs?: number;
  /** Default: the machine's. */
  clock?: Clock;
  onError?(error: unknown): void;
}

/**
 * Scales the Deployments of a namespace by the algorithm of Kubernetes' HorizontalPodAutoscaler. It is an API client, and also works on a real control plane,
 * which has no metrics API. It writes no status.
 * It behaves as if it had known each HPA for longer than its stabilization window: the real one keeps the replicas that it first sees for that long. Source:
 * Kubernetes pkg/controller/podautoscaler/horizontal.go.
 */
export function startHorizontalPodAutoscaler(cluster: Cluster, options: HpaOptions): { stop(): Promise<void> } {
  const { namespace, syncMs = SYNC_MS, clock = systemClock, onError = () => undefined } = options;
  const pasts = new Map<string, Past>();
  const ended = Promise.withResolvers<void>();
  let isRunning = true;
  const sync = async (): Promise<void> => {
    cancel = undefined;
    try {
      const { items } = await cluster.list({ ...HPA, namespace });
      for (const hpa of items.map(asHorizontalPodAutoscaler)) {
        const past = pasts.get(hpa.metadata.uid ?? '') ?? { recommendations: [], events: [] };
        pasts.set(hpa.metadata.uid ?? '', past);
        await scale(cluster, hpa, past, options.metrics, clock.nowMs()).catch(onError);
      }
    } catch (error) {
      onError(error);
    }
    if (isRunning) cancel = clock.setTimer(syncMs, () => void sync());
    else ended.resolve();
  };
  let cancel: (() => void) | undefined = clock.setTimer(syncMs, () => void sync());
  return {
    async stop() {
      isRunning = false;
      // A look that is under way ends by itself.
      if (cancel) ended.resolve();
      cancel?.();
      await ended.promise;
    },
  };
}

async function scale(cluster: Cluster, hpa: HorizontalPodAutoscaler, past: Past, metrics: HpaMetrics, nowMs: number): Promise<void> {
  const { namespace } = hpa.metadata;
  const ref = scaleTargetRefOf(hpa);
  const found = await cluster.get(ref);
  const target = found && asDeployment(found);
  const current = Number(target?.spec.replicas ?? 0);
  // Zero means switched off by hand.
  if (!target || current === 0) return;
  const { items } = await cluster.list({ apiVersion: 'v1', kind: 'Pod', namespace: namespace ?? '' });
  const pods = items.map(asPod).filter((pod) => isPodActive(pod) && matchesSelector(target.spec.selector, pod.metadata.labels));
  const scaled = { pods, current, existing: Number(target.status?.replicas ?? 0) };
  const desired = ruledReplicas(hpa.spec, past, wantedBy(hpa.spec.metrics ?? DEFAULT_METRICS, scaled, metrics), current, nowMs);
  if (desired === current) return;
  await cluster.patch(ref, { spec: { replicas: desired } }, { subresource: 'scale' });
  past.events.push({ atMs: nowMs, change: desired - current });
}

interface Scaled {
  pods: readonly Pod[];
  /** Requested pods. */
  current: number;
  /** Pods that the workload's controller reports. */
  existing: number;
}

/** The most that any metric wants; undefined when none is measured, or one is not and the others want fewer. */
function wantedBy(specs: readonly HpaMetric[], scaled: Scaled, metrics: HpaMetrics): number | undefined {
  const proposals = specs.map((metric) => proposalOf(metric, scaled, metrics));
  const measured = proposals.filter((one) => one !== undefined);
  const most = Math.max(...measured);
  return measured.length === 0 || (measured.length < proposals.length && most < scaled.current) ? undefined : most;
}

function proposalOf(metric: HpaMetric, { pods, current, existing }: Scaled, metrics: HpaMetrics): number | undefined {
  if (metric.type === 'Resource') return byResource(metric.resource, pods, current, metrics);
  if (metric.type !== 'Object' && metric.type !== 'External') throw new Error(`a metric of type ${metric.type} is not played here`);
  const { metric: named, target } = metric.type === 'Object' ? metric.object : metric.external;
  const value = metrics.ofMetric(named.name);
  if (value === undefined) return undefined;
  if (target.type === 'AverageValue') return replicasByAverage(value, quantity(target.averageValue), existing);
  return replicasByValue(value, quantity(target.value), pods.filter(isPodReady).length, current);
}

function byResource({ name, target }: HpaResource, pods: readonly Pod[], current: number, metrics: HpaMetrics): number | undefined {
  const measuredIn = (unitOf: (pod: Pod) => number): MeasuredPod[] =>
    pods.map((pod) => {
      const usage = metrics.ofPod(pod, name);
      const isWarmingUp = name === 'cpu' && usage !== undefined && !isPodReady(pod);
      return { isUnready: pod.status?.phase === 'Pending' || isWarmingUp, usage: usage && usage / unitOf(pod) };
    });
  if (target.type === 'AverageValue')
    return replicasByPods(
      measuredIn(() => MILLI),
      quantity(target.averageValue) / MILLI,
      current,
    );
  const percent = Number(target.averageUtilization);
  const requested = (pod: Pod): number => requestOf(pod, name) / 100;
  const missingUses = Math.max(100, percent);
  return pods.every(requested) ? replicasByPods(measuredIn(requested), percent, current, missingUses) : undefined;
}

/** Requests of all containers; 0 if one requests nothing. */
function requestOf({ spec }: Pod, resource: string): number {
  const requests = (spec.containers ?? []).map(({ resources }) => quantity(resources?.requests?.[resource] ?? 0));
  return requests.includes(0) ? 0 : requests.reduce((total, one) => total + one, 0);
}

const quantity = (text: unknown): number => parseQuantity(String(text)) ?? 0;
