import { type KubeObject, refOf } from '../../api/kube-object.ts';
import { asideAnnotation } from '../../api/names.ts';
import { timestamp } from '../../base/timestamp.ts';
import type { ControllerDeps } from '../controller-deps.ts';

/**
 * Keeps the mark of a Canary that is left to another controller, or removes it otherwise. The status cannot hold it, because the other controller writes that
 * as a whole. Returns the changed version, `undefined` if no change was needed.
 */
export async function keepAsideMark(
  canary: KubeObject,
  isAside: boolean,
  { cluster, view, clock }: Pick<ControllerDeps, 'cluster' | 'view' | 'clock'>,
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  const isMarked = canary.metadata.annotations?.[asideAnnotation] !== undefined;
  if (isMarked === isAside) return undefined;
  const annotations = { [asideAnnotation]: isAside ? timestamp(clock.nowMs()) : null };
  const changed = await cluster.patch(refOf(canary), { metadata: { annotations } }, { signal });
  view.learn(changed);
  return changed;
}
