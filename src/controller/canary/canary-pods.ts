import type { Canary } from '../../api/canary.ts';
import type { Workload } from '../../workloads/workload.ts';
import type { ControllerDeps } from '../controller-deps.ts';

type PodsDeps = Pick<ControllerDeps, 'podWatches'> & { view: Pick<ControllerDeps['view'], 'find'> };

/** Watches the pods of a canary from the first step of its release until it ends or is promoted; an idle Canary has no watch of pods. */
export function followPods(canary: Canary, workload: Workload, follower: string, { podWatches, view }: PodsDeps): void {
  const { phase, release } = canary.status ?? {};
  const target = phase === 'Progressing' || phase === 'WaitingPromotion' ? view.find(workload.targetRef(canary)) : undefined;
  const selector = target && workload.podSelector?.(target.object);
  if (release === undefined || selector === undefined) podWatches.unfollow(follower);
  else podWatches.follow(follower, { namespace: canary.metadata.namespace, selector, run: release.run, known: release.failing });
}
