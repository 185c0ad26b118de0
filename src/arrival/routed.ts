import type { Canary } from '../api/canary.ts';
import { refOf } from '../api/kube-object.ts';
import type { Router } from '../routers/router.ts';
import type { Loss } from './plan.ts';
import type { LivingApplication } from './world.ts';

/** Settings of the apex Service by its users that the routes of the provider do not keep. */
export function routedAtArrival(canary: Canary, { objects }: Pick<LivingApplication, 'objects'>, router: Pick<Router, 'unkept'>): Loss[] {
  const unkept = router.unkept?.(canary, objects) ?? [];
  return unkept.map(({ on, isRefused, isPolicy, ...clauses }) => ({
    ...clauses,
    ...kindOf(isRefused, isPolicy),
    isRefused,
    object: refOf(on),
  }));
}

function kindOf(isRefused: boolean, isPolicy = false): Pick<Loss, 'code' | 'kind'> {
  if (isPolicy) return { code: 'PolicyWouldBeLost', kind: 'security' };
  return isRefused ? { code: 'EndpointsWouldBeLost', kind: 'endpoints' } : { code: 'WouldBeLost', kind: 'traffic' };
}
