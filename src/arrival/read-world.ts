import type { Provider } from '../api/canary.ts';
import type { KubeObject } from '../api/kube-object.ts';
import { isAbout, isOfRoutes as isOfRoutesOf, type ReadKind, readKinds } from './kinds.ts';
import { goesByNamespaceLabels } from './peers.ts';
import { isReadable } from './readable.ts';
import type { UnreadKind } from './world.ts';

/** Lists the objects of a kind, in one namespace or all. An error of status 404 means that the kind is not served, 403 that Serin may not read it. */
export type ListKind = (kind: { apiVersion: string; kind: string; namespace?: string }) => Promise<{ items: readonly KubeObject[] }>;

export interface ReadObjects {
  objects: KubeObject[];
  unread: UnreadKind[];
}

export interface ReadOptions {
  /** Kinds that the caller has read itself. */
  except?: readonly string[];
  /** If absent, the provider is not known, and the kinds of all providers are read. */
  provider?: Provider | undefined;
  /** Only routes of this provider, and what is attached to them. */
  isOfRoutes?: boolean;
  /** Serin may read only this namespace: objects of others are not requested, so that no request is refused. */
  isLimited?: boolean;
  /** Reads the namespace itself. An error of status 403 means that Serin may not read it. If absent, all namespaces are listed. */
  getNamespace?: ((name: string) => Promise<KubeObject | undefined>) | undefined;
}

/** Reads every object that an arrival depends on. Kinds that are not installed have no objects; any other failure is thrown to the caller. */
export async function readNamespace(
  namespace: string,
  list: ListKind,
  { except = [], provider, isOfRoutes = false, isLimited = false, getNamespace }: ReadOptions = {},
): Promise<ReadObjects> {
  const isMeant = (one: ReadKind) => (isOfRoutes && provider ? isOfRoutesOf(one, provider) : isAbout(one, provider));
  const kinds = readKinds.filter((one) => !except.includes(one.kind) && isMeant(one));
  const read = await Promise.all(kinds.map((kind) => readKind(kind, namespace, list, isLimited)));
  const objects = read.flatMap((one) => one.objects);
  if (objects.some((one) => one.kind === 'NetworkPolicy' && isReadable(one) && goesByNamespaceLabels(one)))
    read.push(
      await readHome(
        namespace,
        getNamespace ?? (async (name) => (await list(NAMESPACE)).items.find(({ metadata }) => metadata.name === name)),
      ),
    );
  return { objects: read.flatMap((one) => one.objects), unread: read.flatMap(({ unread }) => unread) };
}

const NAMESPACE = { apiVersion: 'v1', kind: 'Namespace' };

/** Reads the namespace's labels, by which policies can admit it. */
async function readHome(name: string, get: NonNullable<ReadOptions['getNamespace']>): Promise<ReadObjects> {
  try {
    const found = await get(name);
    return { objects: found ? [{ ...found, ...NAMESPACE }] : [], unread: [] };
  } catch (error) {
    if (statusOf(error) !== 403) throw error;
    return { objects: [], unread: [{ ...NAMESPACE, why: 'Serin may not read it, and a NetworkPolicy selects by its labels' }] };
  }
}

async function readKind(
  { group, versions, kind, isOfAll = false }: ReadKind,
  namespace: string,
  list: ListKind,
  isLimited: boolean,
): Promise<ReadObjects> {
  for (const version of versions) {
    const ref = { apiVersion: group === '' ? version : `${group}/${version}`, kind };
    try {
      const { items, isPart } = await listed(ref, { namespace, isOfAll, isLimited }, list);
      // Items of a list do not repeat their kind.
      const objects = items.map((item) => ({ ...item, ...ref }));
      return { objects, unread: isPart ? [{ ...ref, why: `only objects of namespace ${namespace} can be seen` }] : [] };
    } catch (error) {
      const status = statusOf(error);
      if (status === 403) return { objects: [], unread: [{ ...ref, why: 'Serin may not list it' }] };
      if (status !== 404) throw error;
    }
  }
  return { objects: [], unread: [] };
}

/** Lists the objects of all namespaces, or only of this one if Serin may read no other: then the list is a part. */
async function listed(
  ref: { apiVersion: string; kind: string },
  { namespace, isOfAll, isLimited }: { namespace: string; isOfAll: boolean; isLimited: boolean },
  list: ListKind,
): Promise<{ items: readonly KubeObject[]; isPart: boolean }> {
  if (!isOfAll) return { ...(await list({ ...ref, namespace })), isPart: false };
  if (isLimited) return { ...(await list({ ...ref, namespace })), isPart: true };
  try {
    return { ...(await list(ref)), isPart: false };
  } catch (error) {
    if (statusOf(error) !== 403) throw error;
    return { ...(await list({ ...ref, namespace })), isPart: true };
  }
}

const statusOf = (error: unknown): unknown => (typeof error === 'object' && error !== null && 'status' in error ? error.status : undefined);
