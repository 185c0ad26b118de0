import { warning } from '../../../api/finding.ts';
import type { Item } from '../documents.ts';
import { findingOn, isFlaggerObject, type ManifestCheck, whereOf } from '../manifests.ts';

/** The same object twice: the object that is applied last replaces the other. */
export const duplicates: ManifestCheck = ({ items }) => {
  const first = new Map<string, Item>();
  return items.flatMap((item) => {
    if (!isFlaggerObject(item.object) || !item.place) return [];
    const key = `${item.object.kind}/${item.namespace ?? ''}/${item.name}`;
    const other = first.get(key);
    if (!other) first.set(key, item);
    // The same file, given twice or by a link.
    if (!other || isOneFile(item, other)) return [];
    const message = `is that of ${whereOf(other)}; only the file that is applied last counts: rename or remove one`;
    return findingOn(item, [warning('metadata.name', message)]);
  });
};

const isOneFile = ({ place: a }: Item, { place: b }: Item): boolean => a?.file === b?.file && a?.source !== b?.source;
