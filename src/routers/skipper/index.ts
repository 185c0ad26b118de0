import { ingressPermissions } from '../ingress/ingress-rules.ts';
import type { ProviderDefinition } from '../provider.ts';
import { skipperObservers } from './observer.ts';
import { skipper } from './router.ts';

const skipperProvider: ProviderDefinition = {
  router: () => skipper,
  observers: skipperObservers,
  board: {
    id: 'skipper',
    title: 'Skipper',
    // While the canary has no traffic, the route of the user's own Ingress leads to the apex Service.
    toPrimary: ['_canary__.*__{{ service }}_canary', '(_canary__.*__{{ service }}_primary|__.*__{{ service }})'],
  },
  permissions: ingressPermissions,
  ownedWhole: ['rules'],
};

export { skipperProvider as skipper };
