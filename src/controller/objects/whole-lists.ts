import { specOf } from '../../api/kinds/spec-of.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { isRecord, type JsonRecord } from '../../base/json.ts';
import { allDefinitions } from '../../routers/index.ts';
import { hasAllOf } from './drift.ts';

/**
 * Lists of ours that a server-side apply merges by a key: entries of others would stay in them, or clash with ours. `isWhole`: fields that others have set in
 * an entry of ours are also removed, since they change where traffic goes.
 */
const MERGED: Readonly<Record<string, { field: string; keyOf(entry: JsonRecord): string; isWhole: boolean }>> = {
  Service: { field: 'ports', keyOf: ({ port, protocol = 'TCP' }) => `${port}/${protocol}`, isWhole: false },
  ...Object.fromEntries(
    allDefinitions.flatMap(({ mergedLists = [] }) => mergedLists.map(({ kind, ...list }) => [kind, { ...list, isWhole: true }])),
  ),
};

type OverPatch = { metadata: JsonRecord; spec: JsonRecord };

/**
 * The merge patch after which `live` holds `wanted` in one write, if an apply cannot do that: a list of ours has entries that are not ours. The fields that
 * others have set in our own entries stay, as node ports do. `undefined` if an apply does it.
 */
export function replacingLists(wanted: KubeObject, live: KubeObject): OverPatch | undefined {
  const { field, keyOf, isWhole } = mergedListOf(wanted.kind);
  const [ours, theirs] = [specOf<JsonRecord>(wanted)[field], specOf<JsonRecord>(live)[field]];
  if (!Array.isArray(ours) || !Array.isArray(theirs)) return undefined;
  const wantedBy = new Map(ours.map((entry): [string, JsonRecord] => [keyOf(entry), entry]));
  const isMore = (entry: JsonRecord) => {
    const same = wantedBy.get(keyOf(entry));
    return same === undefined || (isWhole && !hasAllOf(same, entry));
  };
  return theirs.some(isMore) ? overPatch(wanted, live) : undefined;
}

/** The merge patch that makes `live` hold `wanted`, and in selectors and lists of ours nothing else. */
export function overPatch(wanted: KubeObject, live: KubeObject): OverPatch {
  const { field, keyOf, isWhole } = mergedListOf(wanted.kind);
  const [own, found] = [specOf<JsonRecord>(wanted), specOf<JsonRecord>(live)];
  const [ours, theirs] = [own[field], found[field]];
  const liveBy = new Map(Array.isArray(theirs) ? theirs.map((entry): [string, JsonRecord] => [keyOf(entry), entry]) : []);
  const { labels, annotations, ownerReferences } = wanted.metadata;
  return {
    metadata: {
      resourceVersion: live.metadata.resourceVersion ?? '',
      ...(labels && { labels }),
      ...(annotations && { annotations }),
      ...(ownerReferences && { ownerReferences: withOwners(live.metadata.ownerReferences ?? [], ownerReferences) }),
    },
    spec: {
      ...own,
      ...(isRecord(own.selector) && { selector: onlyThese(own.selector, isRecord(found.selector) ? found.selector : {}) }),
      ...(Array.isArray(ours) && { [field]: isWhole ? ours : ours.map((entry) => ({ ...liveBy.get(keyOf(entry)), ...entry })) }),
    },
  };
}

function mergedListOf(kind: string): (typeof MERGED)[string] {
  return MERGED[kind] ?? { field: '', keyOf: String, isWhole: false };
}

/** A merge patch keeps each key that it does not name. */
export function onlyThese(wanted: JsonRecord, live: JsonRecord): JsonRecord {
  return { ...Object.fromEntries(Object.keys(live).map((key) => [key, null])), ...wanted };
}

function withOwners<Owner extends { uid: string }>(live: readonly Owner[], ours: readonly Owner[]): Owner[] {
  return [...live.filter(({ uid }) => !ours.some((own) => own.uid === uid)), ...ours];
}
