import type { Canary } from '../../api/canary.ts';
import { finalizer } from '../../api/names.ts';
import type { ControllerDeps } from '../controller-deps.ts';

/** Only `revertOnDeletion` holds a deleted Canary; without it the finalizer is removed at once. True when it was written. */
export async function keepFinalizer(canary: Canary, { cluster, view }: ControllerDeps, signal: AbortSignal): Promise<boolean> {
  const { finalizers = [], resourceVersion, name, namespace } = canary.metadata;
  const wants = canary.spec.revertOnDeletion === true;
  if (finalizers.includes(finalizer) === wants) return false;
  const changed = wants ? [...finalizers, finalizer] : finalizers.filter((each) => each !== finalizer);
  const ref = { apiVersion: canary.apiVersion, kind: 'Canary', name, namespace };
  view.learn(await cluster.patch(ref, { metadata: { finalizers: changed, resourceVersion } }, { signal }));
  return true;
}
