import type { KubeObject, ObjectRef } from '../../api/kube-object.ts';
import type { Cluster } from '../../kube/cluster.ts';

/** Reads the objects that exist. */
export async function readAll(refs: readonly ObjectRef[], cluster: Cluster, signal: AbortSignal): Promise<KubeObject[]> {
  return (await Promise.all(refs.map((ref) => cluster.get(ref, { signal })))).flatMap((object) => object ?? []);
}
