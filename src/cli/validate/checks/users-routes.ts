import type { KubeObject } from '../../../api/kube-object.ts';
import { isReadable } from '../../../arrival/readable.ts';
import { routerFor } from '../../../routers/index.ts';
import { apiGroupOf, findItem, perCanary } from '../manifests.ts';

/**
 * Fields of a Canary that have no effect because of the user's routes, in the files or the cluster (I17). Fields without effect even without such routes are
 * found already.
 */
export const usersRoutes = perCanary(({ canary, namespace, provider }, { items }) => {
  const router = provider && routerFor(provider);
  if (!router || 'unsupported' in router) return [];
  const homed = { ...canary, metadata: { ...canary.metadata, namespace: namespace ?? '' } };
  const current = router.watches(homed).flatMap((ref): KubeObject[] => {
    const found = findItem({ items }, { kind: ref.kind, group: apiGroupOf(ref), name: ref.name, namespace })?.object;
    return found && isReadable(found) ? [{ ...found, metadata: { ...found.metadata, namespace: homed.metadata.namespace } }] : [];
  });
  const known = new Set(router.ignores?.(homed).map(({ path }) => path));
  return (router.ignores?.(homed, current) ?? []).filter(({ path }) => !known.has(path));
});
