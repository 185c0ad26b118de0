import { type ReadObjects, readNamespace } from '../../arrival/read-world.ts';
import type { DepsOf } from '../controller-deps.ts';

/** Kinds that are watched in any case. */
const WATCHED = [
  { apiVersion: 'v1', kind: 'Service' },
  { apiVersion: 'apps/v1', kind: 'Deployment' },
] as const;

/** Everything in a namespace that may know an application: from the watches, and the kinds that are not watched by a list each. */
export async function readApplication(
  namespace: string,
  { cluster, view, config, signal }: DepsOf<'cluster' | 'view' | 'config'>,
): Promise<ReadObjects> {
  await Promise.all(WATCHED.map((kind) => view.ready({ ...kind, namespace })));
  const watched = WATCHED.flatMap((kind) => view.allIn(kind, namespace).map(({ object }) => object));
  const except = WATCHED.map(({ kind }) => kind);
  const { objects, unread } = await readNamespace(namespace, (kind) => cluster.list(kind, { signal }), {
    except,
    isLimited: config.namespaces.length > 0,
  });
  return { objects: [...watched, ...objects], unread };
}
