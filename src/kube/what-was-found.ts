import { type KubeObject, refOf, type Slim } from '../api/kube-object.ts';
import type { Cluster, DeleteSettings } from './cluster.ts';

/** The version of no object: etcd counts from 1, which is the empty store. */
const NO_VERSION = '1';

/**
 * The object with the precondition that the API server holds exactly `found`, or no object of that name: otherwise it refuses the apply with 409.
 *
 * It makes an object that is absent, whatever version the apply names, and refuses that only if the apply names a uid (k8s.io/apiserver, `applyPatch` in
 * endpoints/handlers/patch.go and `Update` in registry/generic/registry/store.go).
 */
export function over(found: KubeObject | undefined, object: KubeObject): KubeObject {
  const { uid, resourceVersion = NO_VERSION } = found?.metadata ?? {};
  return { ...object, metadata: { ...object.metadata, ...(uid !== undefined && { uid }), resourceVersion } };
}

/** Deletes exactly the object that was found: an object that another writer has made in its place meanwhile stays. */
export async function deleteFound(found: Slim, cluster: Pick<Cluster, 'delete'>, settings: Omit<DeleteSettings, 'uid'>): Promise<void> {
  const { uid } = found.metadata;
  await cluster.delete(refOf(found), { ...settings, ...(uid !== undefined && { uid }) });
}
