import type { KubeObject } from '../api/kube-object.ts';
import { type ReadKind, readKinds } from './kinds.ts';
import type { UnreadKind } from './world.ts';

/** Lists the objects of a kind, in one namespace or all. An error of status 404: it is not served; of 403: it may not be read. */
export type ListKind = (kind: { apiVersion: string; kind: string; namespace?: string }) => Promise<{ items: readonly KubeObject[] }>;

export interface ReadObjects {
  objects: KubeObject[];
  unread: UnreadKind[];
}

export interface ReadOptions {
  /** Kinds that the caller knows. */
  except?: readonly string[];
  /** Only this namespace may be read: others are not asked for, so that no request is refused. */
  isLimited?: boolean;
}

/**
 * Everything that an arrival in this namespace looks at. Kinds that are not installed have no objects; any other failure is the caller's.
 */
export async function readNamespace(
  namespace: string,
  list: ListKind,
  { except = [], isLimited = false }: ReadOptions = {},
): Promise<ReadObjects> {
  const kinds = readKinds.filter(({ kind }) => !except.includes(kind));
  const read = await Promise.all(kinds.map((kind) => readKind({ ...kind, isOfAll: kind.isOfAll === true && !isLimited }, namespace, list)));
  return { objects: read.flatMap(({ objects }) => objects), unread: read.flatMap(({ unread }) => unread) };
}

async function readKind(kind: ReadKind, namespace: string, list: ListKind): Promise<ReadObjects> {
  for (const version of kind.versions) {
    const ref = { apiVersion: kind.group === '' ? version : `${kind.group}/${version}`, kind: kind.kind };
    try {
      return { objects: await listed(ref, kind.isOfAll ? undefined : namespace, namespace, list), unread: [] };
    } catch (error) {
      const status = statusOf(error);
      if (status === 403) return { objects: [], unread: [{ ...ref, why: 'Serin may not list it' }] };
      if (status !== 404) throw error;
    }
  }
  return { objects: [], unread: [] };
}

/** Those of all namespaces, or where only this one may be read, of this one. */
async function listed(
  ref: { apiVersion: string; kind: string },
  scope: string | undefined,
  own: string,
  list: ListKind,
): Promise<KubeObject[]> {
  try {
    const { items } = await list({ ...ref, ...(scope !== undefined && { namespace: scope }) });
    // Items of a list do not repeat their kind.
    return items.map((item) => ({ ...item, ...ref }));
  } catch (error) {
    if (scope !== undefined || statusOf(error) !== 403) throw error;
    return listed(ref, own, own, list);
  }
}

const statusOf = (error: unknown): unknown => (typeof error === 'object' && error !== null && 'status' in error ? error.status : undefined);
