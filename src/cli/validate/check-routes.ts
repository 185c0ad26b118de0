import type { Canary, Provider } from '../../api/canary.ts';
import { error, type Finding } from '../../api/finding.ts';
import { routerFor } from '../../routers/index.ts';

/** Why the controller would refuse to route this Canary, or the parts of its spec that have no effect; none without a router. */
export function checkRoutes(canary: Canary, provider: Provider): readonly Finding[] {
  const router = routerFor(provider);
  if ('unsupported' in router) return [];
  const refusal = router.refuses?.(canary);
  if (refusal === undefined) return router.ignores?.(canary) ?? [];
  return [error(refusal.placed.field, refusal.placed.message)];
}
