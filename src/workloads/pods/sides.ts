import type { Canary } from '../../api/canary.ts';
import { type Slim, type SlimRef, slimRef } from '../../api/kube-object.ts';
import { names } from '../../api/names.ts';
import { defined } from '../../base/defined.ts';
import type { SideState, Sides, Watched, WatchedObjects, WorkloadIdentity, WorkloadPromotion, WorkloadReadiness } from '../workload.ts';

/** The target of a kind that has one primary object beside it. */
export function ownRef(apiVersion: string, canary: Canary): SlimRef {
  const { kind, name } = canary.spec.targetRef;
  return slimRef({ apiVersion, kind, name, namespace: canary.metadata.namespace });
}

/** `<target>-primary`, of the same kind. */
export function besideRef(apiVersion: string, canary: Canary): SlimRef {
  return { ...ownRef(apiVersion, canary), name: names(canary).primary };
}

type Verbs = WorkloadIdentity & WorkloadReadiness & Pick<WorkloadPromotion, 'carries'>;

/** Both sides of a release of pods: the target and its primary, each judged by its own status. */
export function podSides(workload: Verbs, canary: Canary, watched: WatchedObjects): Sides {
  const { canaryReadyThreshold, primaryReadyThreshold } = canary.spec.analysis;
  const target = watched.find(workload.targetRef(canary));
  const primary = watched.find(workload.primaryRef(canary));
  return {
    ...(target && { target: { ...stateOf(workload, target, canaryReadyThreshold), ...identityOf(workload, target) } }),
    ...(primary && { primary: { ...stateOf(workload, primary, primaryReadyThreshold), ...carriedBy(workload, primary.object) } }),
  };
}

function stateOf(workload: Verbs, { object, reportedMs, images }: Watched, thresholdPercent: number | undefined): SideState {
  const updated = workload.updatedPods?.(object);
  return {
    readiness: workload.readiness(object, thresholdPercent ?? 100),
    serving: workload.isServing(object),
    replicas: workload.replicas(object),
    ...(reportedMs !== undefined && updated !== undefined && { progress: { lastMs: reportedMs, updated } }),
    ...(images && { images }),
  };
}

type TargetIdentity = Omit<NonNullable<Sides['target']>, keyof SideState>;

function identityOf(workload: Verbs, watched: Watched): TargetIdentity {
  const { object, revision = '', configs, imagesChangedIn, commit } = watched;
  const { uid = '', generation = 0 } = object.metadata;
  const pods = workload.pods?.(watched);
  return defined({ uid, generation, revision, ...countOf(workload, object), imagesChangedIn, configs, pods, commit });
}

/** A count that has not moved says nothing of a template that is newer than it. */
export function countOf(
  workload: Pick<WorkloadIdentity, 'rollout' | 'hasCounted'>,
  target: Slim,
): Pick<TargetIdentity, 'rollout' | 'uncounted'> {
  const rollout = workload.rollout?.(target);
  if (rollout === undefined) return {};
  return { rollout, ...(workload.hasCounted?.(target) === false && { uncounted: true }) };
}

function carriedBy(workload: Pick<WorkloadPromotion, 'carries'>, primary: Slim): { carries?: string } {
  return defined({ carries: workload.carries(primary) });
}
