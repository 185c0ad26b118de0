import { findingOn, isFlaggerObject, type ManifestCheck } from '../manifests.ts';
import { objectFindings } from '../object-findings.ts';

/** Each object of ours by itself: types, required fields, unknown fields, and all that is refused in the cluster. */
export const objects: ManifestCheck = ({ items, ...options }) =>
  items.flatMap((item) => (isFlaggerObject(item.object) ? findingOn(item, objectFindings(item.object, options)) : []));
