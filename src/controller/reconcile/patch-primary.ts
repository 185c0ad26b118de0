import { type KubeObject, refOf } from '../../api/kube-object.ts';
import { canonicalJson } from '../../base/json.ts';
import type { Cluster } from '../../kube/cluster.ts';
import { ApiError, isInvalid } from '../../kube/errors.ts';
import type { JsonPatchOperation } from '../../workloads/workload.ts';

/** Writers of annotations and of status can come in between so often. */
const MOST_TRIES = 10;

/**
 * Patches the primary in the version that was read. The API server answers a failed `test` with 422, like a refused object: if the version has moved since, the
 * write was too late. It is made again at once if the spec is still the same, and is a conflict like any other if it is not (E103).
 */
export async function patchPrimary(
  cluster: Cluster,
  primary: KubeObject,
  patchOf: (primary: KubeObject) => JsonPatchOperation[],
  signal: AbortSignal,
): Promise<KubeObject> {
  const ref = refOf(primary);
  let current = primary;
  for (let tries = 1; ; tries += 1) {
    try {
      return await cluster.patch(ref, patchOf(current), { signal });
    } catch (error) {
      if (!isInvalid(error)) throw error;
      const now = await cluster.get(ref, { signal });
      if (now?.metadata.resourceVersion === current.metadata.resourceVersion) throw error;
      if (tries === MOST_TRIES || !now || canonicalJson(now.spec) !== canonicalJson(primary.spec))
        throw new ApiError(`${ref.kind} ${ref.name} was written meanwhile`, { status: 409, reason: 'Conflict' }, { cause: error });
      current = now;
    }
  }
}
