import { error, type Finding, warning } from '../../../api/finding.ts';
import { names } from '../../../api/names.ts';
import { type CanaryItem, findingOn, type ManifestCheck, whereOf } from '../manifests.ts';

/** Two Canaries for one target or one apex Service: only the older one is run (TargetTaken). */
export const rivals: ManifestCheck = ({ canaries }) => {
  const placed = canaries.map((item, index) => ({ item, index }));
  const byTarget = Map.groupBy(placed, ({ item }) => targetKey(item));
  const byApex = Map.groupBy(placed, ({ item }) => apexKey(item));
  const copies = Map.groupBy(
    canaries.filter(({ place }) => place),
    nameKey,
  );
  return placed.flatMap(({ item: younger, index }) => {
    if (!younger.place) return [];
    const isRival = ({ item, index: at }: (typeof placed)[number]) => (at < index || !item.place) && nameKey(item) !== nameKey(younger);
    const [ofTarget, ofApex] = [byTarget.get(targetKey(younger))?.find(isRival), byApex.get(apexKey(younger))?.find(isRival)];
    const isTarget = ofTarget !== undefined && ofTarget.index <= (ofApex?.index ?? Number.POSITIVE_INFINITY);
    const other = (isTarget ? ofTarget : ofApex)?.item;
    if (!other) return [];
    const field = isTarget ? 'spec.targetRef.name' : 'spec.service.name';
    // Files that hold a Canary twice are not all applied to one cluster, such as a base and its overlays.
    const isCertain = [other, younger].every((one) => (copies.get(nameKey(one))?.length ?? 0) <= 1);
    const find: (path: string, message: string) => Finding = isCertain ? error : warning;
    const thing = isTarget ? 'target' : 'apex Service';
    const remedy = `remove one, or give it another ${thing}`;
    return findingOn(younger, [find(field, `is also the ${thing} of ${whereOf(other)}, and only the older Canary is run: ${remedy}`)]);
  });
};

const key = (...parts: readonly unknown[]): string => JSON.stringify(parts);
const nameKey = ({ namespace, name }: CanaryItem): string => key(namespace, name);
const targetKey = ({ namespace, canary }: CanaryItem): string => key(namespace, canary.spec.targetRef.kind, canary.spec.targetRef.name);
const apexKey = ({ namespace, canary }: CanaryItem): string => key(namespace, names(canary).apexService);
