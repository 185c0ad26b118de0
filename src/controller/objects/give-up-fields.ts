import { type KubeObject, refOf } from '../../api/kube-object.ts';
import { fieldManager } from '../../api/names.ts';
import { isConflict, isInvalid, isNotFound } from '../../kube/errors.ts';
import { givingUpFields } from '../../kube/taken-over-fields.ts';
import type { DepsOf } from '../controller-deps.ts';

const MOST_TRIES = 5;

/**
 * An object of the user's without an owner of what Serin wrote in it, or the next server-side apply of its tool would be refused for a conflict. Its
 * fields stay.
 *
 * `written`: as the API server has answered. Other writers may be quicker: it is read again then, and left to the next write of ours in the end.
 */
export async function giveUpFields({ cluster, signal }: DepsOf<'cluster'>, written: KubeObject): Promise<KubeObject> {
  let now = written;
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const patch = givingUpFields(now, fieldManager);
    if (!patch) return now;
    try {
      return await cluster.patch(refOf(now), patch, { signal });
    } catch (error) {
      if (!isConflict(error) && !isInvalid(error) && !isNotFound(error)) throw error;
      const found = await cluster.get(refOf(now), { signal });
      if (!found) return now;
      now = found;
    }
  }
  return now;
}
