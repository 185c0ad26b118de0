import { isRecord, type JsonRecord } from '../../api/json.ts';
import type { ServiceSpec } from '../../api/kinds/service.ts';
import { specOf } from '../../api/kinds/spec-of.ts';
import { type KubeObject, refOf } from '../../api/kube-object.ts';
import { fieldManager } from '../../api/names.ts';
import { serviceFieldNames } from '../../api/service-traffic.ts';
import { entriesOf } from '../../kube/taken-over-fields.ts';
import type { DepsOf } from '../controller-deps.ts';
import { overPatch } from './whole-lists.ts';

/** Fields of the spec that the Canary can ask for and ask no more. */
const ASKED = Object.values(serviceFieldNames);
/** Marks of Serin have their own writers. */
const OWN_MARK = 'serin.dev/';

/**
 * Merges fields into an apex Service of the user's, over the version that they were rendered from. An apply would make Serin the owner of each field that
 * it names, the unchanged ones as well: its user could take no port from the manifest, and a server-side apply of another type would conflict.
 *
 * `isNews`: other fields than before are wanted, or it is not known which; those that Serin wrote and wants no more are removed. Undefined: the Service is
 * another one by now.
 */
export async function mergeIntoUsersService(
  { cluster, signal }: DepsOf<'cluster'>,
  wanted: KubeObject,
  live: KubeObject,
  isNews: boolean,
): Promise<KubeObject | undefined> {
  const { metadata, spec } = overPatch(wanted, live);
  if (!isNews) return cluster.patch(refOf(live), { metadata, spec }, { signal });
  // What is watched has no managedFields.
  const found = await cluster.get(refOf(live), { signal });
  if (!found || found.metadata.resourceVersion !== live.metadata.resourceVersion) return undefined;
  const over = unwanted(wanted, found);
  const { labels, annotations } = wanted.metadata;
  const patch = {
    metadata: { ...metadata, labels: { ...over.labels, ...labels }, annotations: { ...over.annotations, ...annotations } },
    spec: { ...over.spec, ...spec },
  };
  return cluster.patch(refOf(live), patch, { signal });
}

/** In a merge patch: what Serin alone wrote, and wants no more. */
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
