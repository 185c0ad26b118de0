import type { Canary, Provider } from '../../api/canary.ts';
import { routerFor } from '../../routers/index.ts';

/** Why the controller would refuse to route this Canary; undefined where it would not, or where there is no router yet. */
export function checkRoutes(canary: Canary, provider: Provider): string | undefined {
  const router = routerFor(provider);
  return 'unsupported' in router ? undefined : router.refuses?.(canary);
}
