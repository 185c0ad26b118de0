import { type KubeObject, refOf } from '../../api/kube-object.ts';
import { fieldManager } from '../../api/names.ts';
import { isConflict, isInvalid, isNotFound } from '../../kube/errors.ts';
import { givingUpFields } from '../../kube/taken-over-fields.ts';
import type { DepsOf } from '../controller-deps.ts';

const MOST_TRIES = 5;

/**
 * Gives up our ownership of the fields that Serin wrote in a user's object, or the next server-side apply of its tool would be refused for a conflict. The
 * fields stay.
 *
 * `written`: the answer of the API server. Other writers can be quicker: then it is read again, and left to our next write in the end.
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
