import type { Canary } from '../../api/canary.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import type { Router } from '../../routers/router.ts';
import { workloadFor } from '../../workloads/index.ts';
import type { Workload } from '../../workloads/workload.ts';
import type { RefusedTrafficFields } from '../admission/refused-traffic-fields.ts';
import type { WrittenSpec } from '../admission/written-spec.ts';
import type { DepsOf } from '../controller-deps.ts';
import { TargetUnusableError } from '../errors.ts';
import type { HealingBrake } from '../objects/healing-brake.ts';
import type { KnownAnnotations } from '../objects/known-annotations.ts';
import type { CompanionNotes } from './companion-notes.ts';
import type { FollowerNotes } from './follower-notes.ts';
import type { Introductions } from './introductions.ts';
import type { LeftPorts } from './left-ports.ts';
import type { ServiceGuard } from './service-guard.ts';

export interface ReconcileContext
  extends DepsOf<'applications' | 'cluster' | 'view' | 'anchors' | 'salts' | 'config' | 'clock'>,
    ReconcileMemory {
  canary: Canary;
  router: Router;
  brake: HealingBrake;
  trafficFields: RefusedTrafficFields;
  nowMs: number;
  /** The target as the server holds it, read once in a reconcile: the projection keeps no templates. */
  readTarget(): Promise<KubeObject | undefined>;
}

/** Earlier writes and observations that the cluster does not show. A Canary keeps them while it is idle. */
export interface ReconcileMemory {
  writtenSpec: WrittenSpec;
  annotations: KnownAnnotations;
  serviceGuard: ServiceGuard;
  companions: CompanionNotes;
  followers: FollowerNotes;
  /** Digest of the last request for each object, which tells a step of ours from drift. */
  wanted: Map<string, string>;
  /** Routes of the user's that were split, by the object. */
  splitIn: Map<string, SeenSplit>;
  /** Answers in which the server changed the last write of an object: digest of the request, the server's version, and the fields that it lacks. */
  answers: Map<string, { digest: string; spec: unknown; lacks: readonly string[] }>;
  introductions: Introductions;
  leftPorts: LeftPorts;
  /** Last seen replicas of each side, above zero: a primary that was deleted by hand comes back with as many. */
  lastReplicas: Map<string, number>;
}

/** The last split of a route of the user's that was written or seen: the version of the spec, and the routes that the Canary wanted. */
export interface SeenSplit {
  generation: number | undefined;
  wanted: string;
}

export function workloadOf(canary: Canary): Workload {
  const workload = workloadFor(canary.spec.targetRef);
  if ('unsupported' in workload) throw new TargetUnusableError(workload.unsupported, { field: 'spec.targetRef' });
  return workload;
}
