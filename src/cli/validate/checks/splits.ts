import { specOf } from '../../../api/kinds/spec-of.ts';
import type { KubeObject } from '../../../api/kube-object.ts';
import { isRecord } from '../../../base/json.ts';
import { canarySplitFindings, splitFindings } from '../../../routers/smi/split-findings.ts';
import type { Item } from '../documents.ts';
import { apiGroupOf, findingOn, type ManifestCheck } from '../manifests.ts';

/** TrafficSplits of the run and splits that its Canaries will have, compared with the known Services and splits. */
export const splits: ManifestCheck = function* ({ items, canaries }) {
  const known = items.filter(({ object }) => isSplit(object) || isService(object)).map(readable);
  for (const item of items) if (isSplit(item.object)) yield* findingOn(item, splitFindings(readable(item), known));
  for (const item of canaries)
    if (/^(smi|linkerd|osm)/.test(item.provider ?? '')) yield* findingOn(item, canarySplitFindings(item.canary, known));
};

/** A TrafficSplit of SMI, in any version. */
export const isSplit = (object: KubeObject): boolean => object.kind === 'TrafficSplit' && apiGroupOf(object) === 'split.smi-spec.io';
const isService = ({ apiVersion, kind }: KubeObject): boolean => apiVersion === 'v1' && kind === 'Service';

/** With all fields, which a manifest can lack, or have of another type. */
function readable({ object, name, namespace }: Item): KubeObject {
  const given = specOf<{ ports: unknown; backends: unknown }>(object);
  const entries = (list: unknown) => (Array.isArray(list) ? list.filter(isRecord) : []);
  const spec = { ...given, ports: entries(given.ports), backends: entries(given.backends) };
  return { ...object, metadata: { name, ...(namespace === undefined ? {} : { namespace }) }, spec };
}
