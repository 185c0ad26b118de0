import { asKnativeRevision, type KnativeRevision } from '../../api/kinds/knative-revision.ts';
import { asKnativeService } from '../../api/kinds/knative-service.ts';
import { knativeApiVersion, primaryRevisionAnnotation } from '../../api/knative.ts';
import type { KubeObject, ObjectRef, Slim } from '../../api/kube-object.ts';
import type { SideState } from '../workload.ts';

/** The newest Revision, ready or not: the subject of a release. */
export function latestCreated(service: Slim): string | undefined {
  return asKnativeService(service).status?.latestCreatedRevisionName || undefined;
}

/** The Revision that answers at bootstrap: the newest Revision that is ready, which can be older than the newest. */
export function latestServing(service: Slim): string | undefined {
  return asKnativeService(service).status?.latestReadyRevisionName || latestCreated(service);
}

export function primaryRevision(service: Slim): string | undefined {
  return service.metadata.annotations?.[primaryRevisionAnnotation] || undefined;
}

export function revisionRef(service: Slim, name: string): ObjectRef {
  const { namespace } = service.metadata;
  return { apiVersion: knativeApiVersion, kind: 'Revision', name, ...(namespace === undefined ? {} : { namespace }) };
}

/** The part of a Revision that shows whether it can answer. */
export function slimRevision(revision: KubeObject): Slim<KnativeRevision> {
  const { apiVersion, kind, metadata, status } = asKnativeRevision(revision);
  return { apiVersion, kind, metadata, status: { conditions: status?.conditions ?? [] } };
}

/**
 * A Revision as a side of a release. It can answer when it is Ready, even without a pod, since Knative starts one for the first request. A Revision whose
 * rollout passed Knative's own deadline is given up at once; any other waits for the Canary's deadline.
 */
export function revisionState(revision: Slim | undefined, name: string): SideState {
  const conditions = (revision && asKnativeRevision(revision).status?.conditions) ?? [];
  const ready = conditions.find(({ type }) => type === 'Ready');
  if (ready?.status === 'True') return { readiness: { state: 'ready', ready: 1, wanted: 1 }, serving: true, replicas: 1 };
  const state = ready?.status === 'False' && ready.reason === 'ProgressDeadlineExceeded' ? 'stalled' : 'waiting';
  const why = revision === undefined ? 'it does not exist' : [ready?.reason, ready?.message].filter(Boolean).join(': ').slice(0, 300);
  const reason = `Revision ${name}: ${why || 'it is not ready yet'}`;
  return { readiness: { state, ready: 0, wanted: 1, reason }, serving: false, replicas: 1 };
}
