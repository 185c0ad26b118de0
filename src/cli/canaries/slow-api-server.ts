import { asLease } from '../../api/kinds/lease.ts';
import { specOf } from '../../api/kinds/spec-of.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { parseStatus } from '../../api/parse-status.ts';
import type { Cluster } from '../../kube/cluster.ts';
import { readSlowNote, slowAnnotation } from '../../kube/slow-note.ts';
import { ifReadable } from '../../reading/if-readable.ts';

/** One sentence if the controller of this Canary waits for the API server; `undefined` if it does not, or its Lease cannot be read. */
export async function slowApiServer(cluster: Pick<Cluster, 'list'>, canary: KubeObject): Promise<string | undefined> {
  const leases = await slowLeases(cluster);
  const writer = parseStatus(canary.status)?.release?.writer;
  const own = leases.filter((lease) => specOf<{ holderIdentity: string }>(lease).holderIdentity === writer);
  const notes = (own.length > 0 ? own : leases).flatMap(({ metadata }) => readSlowNote(metadata.annotations?.[slowAnnotation]));
  if (notes.length === 0) return undefined;
  const parts = notes.map(({ resource, waiting, limit }) => `${waiting} writes of ${resource} wait, ${limit} at a time`);
  // A replica that holds several shards writes the same into the Lease of each.
  return `API server is slow: ${[...new Set(parts)].join('; ')}`;
}

async function slowLeases(cluster: Pick<Cluster, 'list'>): Promise<KubeObject[]> {
  const list = cluster.list({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' }, { labelSelector: slowAnnotation });
  return (await ifReadable(list, { items: [] })).items.map((lease) => asLease(lease));
}
