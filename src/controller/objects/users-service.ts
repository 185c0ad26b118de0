import type { ServiceSpec } from '../../api/kinds/service.ts';
import { specOf } from '../../api/kinds/spec-of.ts';
import { type KubeObject, refOf } from '../../api/kube-object.ts';
import { fieldManager } from '../../api/names.ts';
import { serviceFieldNames } from '../../api/service-traffic.ts';
import { isRecord, type JsonRecord } from '../../base/json.ts';
import { entriesOf } from '../../kube/taken-over-fields.ts';
import type { DepsOf } from '../controller-deps.ts';
import { overPatch } from './whole-lists.ts';

/** Fields of the spec that the Canary can request and later no longer request. */
const ASKED = Object.values(serviceFieldNames);
/** Marks of Serin have their own writers. */
const OWN_MARK = 'serin.dev/';

/**
 * Merges fields into an apex Service of the user's, over the version that they were rendered from. An apply would make Serin the owner of each field that it
 * names, also of unchanged ones: its user could take no port from the manifest, and a server-side apply of another type would conflict. Fields that Serin wrote
 * earlier and no longer wants are removed after that, so that no read delays the correction of a selector.
 */
export async function mergeIntoUsersService(
  { cluster, signal }: DepsOf<'cluster'>,
  wanted: KubeObject,
  live: KubeObject,
): Promise<KubeObject> {
  const { metadata, spec } = overPatch(wanted, live);
  // The watched object has no managedFields. The answer has them.
  const merged = await cluster.patch(refOf(live), { metadata, spec }, { signal });
  const { labels, annotations, spec: fields } = unwanted(wanted, merged);
  if ([labels, annotations, fields].every((gone) => Object.keys(gone).length === 0)) return merged;
  const { resourceVersion } = merged.metadata;
  return cluster.patch(refOf(live), { metadata: { resourceVersion, labels, annotations }, spec: fields }, { signal });
}

/** Fields, for a merge patch, that only Serin wrote, and no longer wants. */
function unwanted(wanted: KubeObject, found: KubeObject): Record<'labels' | 'annotations' | 'spec', Record<string, null>> {
  const isOurs = ({ manager, subresource }: { manager?: string; subresource?: string }) =>
    manager === fieldManager && (subresource ?? '') === '';
  const keysOf = (isOf: typeof isOurs, path: readonly string[]): string[] =>
    entriesOf(found)
      .filter(isOf)
      .flatMap(({ fieldsV1 = {} }) => Object.keys(at(fieldsV1, path)))
      .flatMap((key) => (key.startsWith('f:') ? [key.slice(2)] : []));
  const over = (path: readonly string[], now: object | undefined, mayGo: (key: string) => boolean): Record<string, null> => {
    const others = new Set(keysOf((entry) => !isOurs(entry), path));
    const gone = keysOf(isOurs, path).filter((key) => mayGo(key) && !others.has(key) && !Object.hasOwn(now ?? {}, key));
    return Object.fromEntries(gone.map((key) => [key, null]));
  };
  const { labels, annotations } = wanted.metadata;
  return {
    labels: over(['f:metadata', 'f:labels'], labels, () => true),
    annotations: over(['f:metadata', 'f:annotations'], annotations, (key) => !key.startsWith(OWN_MARK)),
    spec: over(['f:spec'], specOf<ServiceSpec>(wanted), (key) => ASKED.some((field) => field === key)),
  };
}

function at(fields: JsonRecord, [first, ...rest]: readonly string[]): JsonRecord {
  if (first === undefined) return fields;
  const inner = fields[first];
  return isRecord(inner) ? at(inner, rest) : {};
}
