import { ingressPermissions } from '../ingress/ingress-rules.ts';
import type { ProviderDefinition } from '../provider.ts';
import { nginxObservers } from './observer.ts';
import { nginx } from './router.ts';

const nginxProvider: ProviderDefinition = {
  router: ({ ingressAnnotationsPrefix }) => nginx(ingressAnnotationsPrefix),
  observers: nginxObservers,
  board: { id: 'nginx', title: 'ingress-nginx', toPrimary: ['canary!=""', 'canary=""'] },
  // Your Ingress leads to the apex Service, and the copy beside it to the canary's.
  pastApex: ['canary'],
  permissions: ingressPermissions,
  ownedWhole: ['rules'],
};

export { nginxProvider as nginx };
