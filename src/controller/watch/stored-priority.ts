import type { Canary } from '../../api/canary.ts';
import { specOf, statusOf } from '../../api/kinds/spec-of.ts';
import type { KubeObject, ObjectRef, Slim } from '../../api/kube-object.ts';
import type { Phase } from '../../api/phase.ts';
import { isResting } from '../../api/step.ts';
import type { Priority } from '../../kube/priority.ts';
import type { ClusterView } from './cluster-view.ts';

const INITIALIZING = new Set<unknown>([undefined, '', 'Initializing'] satisfies (Phase | '' | undefined)[]);

interface StoredState {
  phase: unknown;
  release: { step?: unknown; observedGeneration?: unknown } | undefined;
}

/** Only by the status, before the release is read. */
export function storedPriority(canary: KubeObject): Priority {
  return priorityOf(statusOf<StoredState>(canary));
}

/** Urgency of what is sent for a Canary with this status. */
export function priorityOf({ phase, release }: Partial<StoredState>): Priority {
  if (INITIALIZING.has(phase)) return 'initialization';
  return phase === 'Failed' && release?.step !== undefined && !isResting(release) ? 'rollback' : 'release';
}

/** True with a status of this very spec, and without routes elsewhere that could hold a weight. */
export function isIdleAsStored({ metadata, status }: Canary): boolean {
  const { release } = status ?? {};
  const isOfSpec = status?.conditions?.some(
    ({ type, observedGeneration }) => type === 'Promoted' && observedGeneration === metadata.generation,
  );
  return isResting(release) && release?.routedFor === undefined && release?.leftRoutes === undefined && isOfSpec === true;
}

/** Smaller is reconciled sooner after a start: rollbacks, releases under way, targets that have changed since, uninitialized targets, the rest. */
export function storedUrgency(canary: KubeObject, target: Slim | undefined): number {
  const priority = storedPriority(canary);
  const { release } = statusOf<StoredState>(canary);
  if (priority === 'rollback') return 0;
  if (priority === 'initialization') return 3;
  if (release === undefined || !isResting(release)) return 1;
  return target === undefined || target.metadata.generation === release.observedGeneration ? 4 : 2;
}

/** The same with the target, where its kind is listed by now. */
export function urgencyNow(canary: KubeObject, view: Pick<ClusterView, 'find' | 'isListed'>): number {
  const { namespace = '' } = canary.metadata;
  const { apiVersion = '', kind = '', name = '' } = specOf<{ targetRef: Partial<ObjectRef> }>(canary).targetRef ?? {};
  const target = { apiVersion, kind, name, namespace };
  return storedUrgency(canary, view.isListed(target) ? view.find(target)?.object : undefined);
}

/** A release is under way by the status: nothing of another Canary is needed to go on. */
export const isInRelease = (urgency: number): boolean => urgency <= 1;

/** A release is under way, or about to begin: it does not wait for lists of thousands. */
export const isUrgent = (urgency: number): boolean => urgency <= 2;
