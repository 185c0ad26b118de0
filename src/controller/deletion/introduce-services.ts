import type { Canary } from '../../api/canary.ts';
import { findObject, type KubeObject, refOf } from '../../api/kube-object.ts';
import { isRefusal } from '../../kube/errors.ts';
import type { Router } from '../../routers/router.ts';
import type { DepsOf } from '../controller-deps.ts';

/**
 * Takes one step towards the routes in `next`, whose Services proxies have to learn of first (DF650); what is recorded on the routes stays. Returns what it
 * wrote: proxies know that after `INTRODUCED_FOR_MS`.
 */
export async function introduceServices(
  canary: Canary,
  next: readonly KubeObject[],
  { router, current }: { router: Router; current: readonly KubeObject[] },
  { cluster, signal }: DepsOf<'cluster'>,
): Promise<KubeObject[]> {
  const written: KubeObject[] = [];
  for (const object of next) {
    const step = router.introduction?.(canary, object, current);
    if (step === undefined) continue;
    const { resourceVersion } = findObject(current, refOf(step))?.metadata ?? {};
    try {
      written.push(await cluster.patch(refOf(step), { metadata: { resourceVersion }, spec: step.spec }, { signal }));
    } catch (error) {
      // A policy that refuses its rule could accept the routes themselves.
      if (!isRefusal(error)) throw error;
    }
  }
  return written;
}
