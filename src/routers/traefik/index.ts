import { inNamespace, rule } from '../../api/permission.ts';
import { BY_SERVICE, MADE_AND_REMOVED, type ProviderDefinition, routes } from '../provider.ts';
import { traefikObservers } from './observer.ts';
import { traefik } from './router.ts';

const PAST = 'routes that lead past the TraefikService; without it that is not checked';

const traefikProvider: ProviderDefinition = {
  router: () => traefik,
  observers: traefikObservers,
  board: { id: 'traefik', title: 'Traefik', toPrimary: BY_SERVICE },
  permissions: [
    routes('traefik.io', ['traefikservices'], MADE_AND_REMOVED),
    inNamespace(rule('traefik.io', ['ingressroutes'], ['list'], PAST)),
  ],
  ownedWhole: ['services', 'mirrors'],
};

export { traefikProvider as traefik };
