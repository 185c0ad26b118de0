import type { Canary } from '../api/canary.ts';
import { isKnative } from '../api/knative.ts';
import { type KubeObject, type ObjectRef, refKey, refOf } from '../api/kube-object.ts';
import type { Clock } from '../base/clock.ts';
import type { Cluster } from '../kube/cluster.ts';
import type { Sides, Workload } from '../workloads/workload.ts';
import { awaitObject } from './await-object.ts';
import { targetNotFound } from './canary-reading.ts';
import { ReadingError } from './reading-error.ts';

/**
 * The target, once its status reports its revision. A Knative Service names the newest revision a moment after the write that creates it, and the writer must
 * not see the previous one. `untilMs`: by the clock's monotonic time.
 */
export async function observedTarget(
  cluster: Pick<Cluster, 'get' | 'watch'>,
  ref: ObjectRef,
  untilMs: number,
  clock: Clock,
): Promise<KubeObject> {
  const { kind, name } = ref;
  const first = await cluster.get(ref);
  if (first === undefined) throw targetNotFound(ref);
  if (reportsRevision(first)) return first;
  return awaitObject(cluster, ref, {
    reached(now) {
      if (now === undefined) throw targetNotFound(ref);
      return reportsRevision(now) ? now : undefined;
    },
    late() {
      throw new ReadingError('timedOut', `${kind} ${name} does not report its latest revision: check that Knative is running`);
    },
    onUnavailable: (_, message) => new ReadingError('unanswered', message),
    clock,
    withinMs: untilMs - clock.monotonicMs(),
  });
}

/** The target's side with its revision; undefined while the revision is not known. */
export function targetSide(canary: Canary, workload: Workload, object: KubeObject): Sides['target'] {
  const known = { object: workload.slim(object), revision: workload.revision(object) };
  const find = (ref: ObjectRef) => (refKey(ref) === refKey(refOf(object)) ? known : undefined);
  return workload.sides(canary, { find, all: () => [] }).target;
}

interface KnativeStatus {
  observedGeneration?: number;
  latestCreatedRevisionName?: string;
  conditions?: { type: string; reason?: string }[];
}

/** By Knative's reasons: `OutOfDate` is a Service that has been seen, and whose Configuration has not. */
export function reportsRevision(target: KubeObject): boolean {
  if (!isKnative(target)) return true;
  const { observedGeneration, latestCreatedRevisionName, conditions = [] }: KnativeStatus = target.status ?? {};
  const isOutOfDate = conditions.some(({ type, reason }) => type === 'ConfigurationsReady' && reason === 'OutOfDate');
  return observedGeneration === target.metadata.generation && Boolean(latestCreatedRevisionName) && !isOutOfDate;
}
