import { ingressPermissions } from '../ingress/ingress-permissions.ts';
import type { ProviderDefinition } from '../provider.ts';
import { nginxObservers } from './observer.ts';
import { nginx } from './router.ts';

export const nginxProvider: ProviderDefinition = {
  router: ({ ingressAnnotationsPrefix }) => nginx(ingressAnnotationsPrefix),
  observers: nginxObservers,
  permissions: ingressPermissions,
  ownedWhole: ['rules'],
};
