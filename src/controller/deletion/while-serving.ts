import type { Canary } from '../../api/canary.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { workloadFor } from '../../workloads/index.ts';
import type { DepsOf } from '../controller-deps.ts';
import { targetRefOf } from '../facts/gather-facts.ts';

/**
 * Runs the next work when users are on the target again. False if it was cancelled, because the target has no ready pod any more (it might have been deleted
 * and created again), while its primary can still serve.
 */
export async function whileServing(
  canary: Canary,
  { view, clock, signal }: DepsOf<'view' | 'clock'>,
  act: (signal: AbortSignal) => Promise<void>,
): Promise<boolean> {
  const over = new AbortController();
  const fallen = new AbortController();
  const bounds = { clock, signal: AbortSignal.any([signal, over.signal]), late: '' };
  const watching = view
    .until(targetRefOf(canary), (now) => !isServing(canary, now), bounds)
    .then(
      () => fallen.abort(new Error('the target serves no more')),
      () => undefined,
    );
  try {
    await act(AbortSignal.any([signal, fallen.signal]));
    return !fallen.signal.aborted;
  } catch (error) {
    if (signal.aborted || !fallen.signal.aborted) throw error;
    return false;
  } finally {
    over.abort(new Error('over'));
    await watching;
  }
}

/** True if at least one pod is ready, or the revision that users would be led to. */
export function isServing(canary: Canary, target: KubeObject | undefined): boolean {
  const workload = workloadFor(canary.spec.targetRef);
  if ('unsupported' in workload) return true;
  return target !== undefined && workload.isServing(target);
}
