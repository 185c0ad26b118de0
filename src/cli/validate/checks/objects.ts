import { type ObjectChecks, objectFindings } from '../object-findings.ts';
import { type Check, isOurs, on } from '../world.ts';

/** Each object of ours by itself: types, required fields, unknown fields, and all that is refused in the cluster. */
export const objects =
  (checks: ObjectChecks): Check =>
  ({ items }) =>
    items.flatMap((item) => (isOurs(item.object) ? on(item, objectFindings(item.object, checks)) : []));
