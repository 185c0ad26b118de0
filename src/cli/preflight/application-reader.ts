import { groupOf, type KubeObject } from '../../api/kube-object.ts';
import { readKinds } from '../../arrival/kinds.ts';
import { type ListKind, type ReadObjects, readNamespace } from '../../arrival/read-world.ts';
import type { ClusterReader } from '../../kube/cluster.ts';
import { isForbidden } from '../../kube/errors.ts';

/** Where the objects of a namespace come from: read once for all its Canaries. */
export type ReadObjectsOf = (namespace: string) => Promise<ReadObjects>;

/** In so many namespaces each kind is listed by namespace; in more, once for all of them. */
const MOST_SEPARATE = 3;

/**
 * Reads from a cluster what an arrival in these namespaces looks at, as the user of the command: the requests follow from the kinds, and not from
 * the Canaries or, beyond three, their namespaces. Only reads.
 */
export function applicationReader(cluster: ClusterReader, namespaces: ReadonlySet<string>): ReadObjectsOf {
  const isWide = namespaces.size > MOST_SEPARATE;
  const list = isWide ? listingOnce(cluster) : cluster.list.bind(cluster);
  const getNamespace = isWide ? undefined : (name: string) => cluster.get({ apiVersion: 'v1', kind: 'Namespace', name });
  const known = new Map<string, Promise<ReadObjects>>();
  return (namespace) => {
    const reading = known.get(namespace) ?? readNamespace(namespace, (kind) => list(kind), { getNamespace });
    known.set(namespace, reading);
    return reading;
  };
}

type Listed = ReadonlyMap<string, readonly KubeObject[]>;

/** Lists a kind in all namespaces or, if that is forbidden, in the requested namespace. */
function listingOnce(cluster: ClusterReader): ListKind {
  const known = new Map<string, Promise<Listed>>();
  const inAll = async (kind: { apiVersion: string; kind: string }): Promise<Listed> => {
    const { items } = await cluster.list(kind);
    return Map.groupBy(items, ({ metadata }) => metadata.namespace ?? '');
  };
  return async ({ apiVersion, kind, namespace }) => {
    const key = `${apiVersion}/${kind}`;
    const reading = known.get(key) ?? inAll({ apiVersion, kind });
    known.set(key, reading);
    try {
      const all = await reading;
      return { items: namespace === undefined ? [...all.values()].flat() : (all.get(namespace) ?? []) };
    } catch (error) {
      if (namespace === undefined || !isForbidden(error)) throw error;
      return cluster.list({ apiVersion, kind, namespace });
    }
  };
}

/** Kinds of which `applicationReader` reads all. */
export const isOfApplication = ({ apiVersion, kind }: { apiVersion: string; kind: string }): boolean =>
  readKinds.some((one) => one.kind === kind && one.group === groupOf(apiVersion));
