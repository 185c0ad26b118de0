import { isOurs, type ManifestCheck, on } from '../manifests.ts';
import { objectFindings } from '../object-findings.ts';

/** Each object of ours by itself: types, required fields, unknown fields, and all that is refused in the cluster. */
export const objects: ManifestCheck = ({ items, ...options }) =>
  items.flatMap((item) => (isOurs(item.object) ? on(item, objectFindings(item.object, options)) : []));
