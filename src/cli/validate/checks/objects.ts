import { isOurs, type ManifestCheck, on } from '../manifests.ts';
import { type ObjectChecks, objectFindings } from '../object-findings.ts';

/** Each object of ours by itself: types, required fields, unknown fields, and all that is refused in the cluster. */
export const objects =
  (checks: ObjectChecks): ManifestCheck =>
  ({ items }) =>
    items.flatMap((item) => (isOurs(item.object) ? on(item, objectFindings(item.object, checks)) : []));
