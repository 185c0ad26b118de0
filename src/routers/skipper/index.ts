import { ingressPermissions } from '../ingress/ingress-permissions.ts';
import type { ProviderDefinition } from '../provider.ts';
import { skipperObservers } from './observer.ts';
import { skipper } from './router.ts';

export const skipperProvider: ProviderDefinition = {
  router: () => skipper,
  observers: skipperObservers,
  permissions: ingressPermissions,
  ownedWhole: ['rules'],
};
