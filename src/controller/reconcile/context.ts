import type { Canary } from '../../api/canary.ts';
import type { Clock } from '../../kube/clock.ts';
import type { Cluster } from '../../kube/cluster.ts';
import type { Router } from '../../routers/router.ts';
import { workloadFor } from '../../workloads/index.ts';
import type { Workload } from '../../workloads/workload.ts';
import type { AcceptedSpec } from '../admission/accepted-spec.ts';
import type { RefusedTrafficFields } from '../admission/refused-traffic-fields.ts';
import type { Anchors } from '../adoption/anchors.ts';
import type { ControllerConfig } from '../config.ts';
import { TargetUnusableError } from '../errors.ts';
import type { HealingBrake } from '../objects/healing-brake.ts';
import type { KnownAnnotations } from '../objects/known-annotations.ts';
import type { ClusterView } from '../watch/cluster-view.ts';
import type { ApexGuard } from './apex-guard.ts';

export interface ReconcileContext {
  canary: Canary;
  router: Router;
  cluster: Cluster;
  view: ClusterView;
  anchors: Anchors;
  config: ControllerConfig;
  brake: HealingBrake;
  accepted: AcceptedSpec;
  annotations: KnownAnnotations;
  trafficFields: RefusedTrafficFields;
  apexGuard: ApexGuard;
  clock: Clock;
  nowMs: number;
  signal: AbortSignal;
  /** The last request for each object, which tells a step of ours from drift. */
  wanted: Map<string, string>;
  /** Where the server added to what was last written of an object: the text that was written, and what it made of it. */
  answers: Map<string, { text: string; spec?: unknown }>;
  /** Pods that a side was last seen to ask for, above zero: a primary that was deleted by hand comes back with as many. */
  lastReplicas: Map<string, number>;
}

export function workloadOf(canary: Canary): Workload {
  const workload = workloadFor(canary.spec.targetRef);
  if ('unsupported' in workload) throw new TargetUnusableError(workload.unsupported, { field: 'spec.targetRef' });
  return workload;
}
