import type { HttpMatch } from '../api/routes.ts';
import { RoutingError } from './routing-error.ts';

/** Refuses an entry of `analysis.match` with conditions that the provider cannot express; `field` is the path of the entry (04-R-T2). */
export function refuseConditions(
  entry: HttpMatch,
  kinds: readonly ('queryParams' | 'sourceLabels')[],
  field: string,
  problem: string,
): void {
  for (const kind of kinds) if (Object.keys(entry[kind] ?? {}).length > 0) throw RoutingError.at(`${field}.${kind}`, problem);
}
