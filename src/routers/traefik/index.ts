import { BY_SERVICE, MADE_AND_REMOVED, type ProviderDefinition, routes } from '../provider.ts';
import { traefikObservers } from './observer.ts';
import { traefik } from './router.ts';

export const traefikProvider: ProviderDefinition = {
  router: () => traefik,
  observers: traefikObservers,
  board: { id: 'traefik', title: 'Traefik', toPrimary: BY_SERVICE },
  permissions: [routes('traefik.io', ['traefikservices'], MADE_AND_REMOVED)],
  ownedWhole: ['services', 'mirrors'],
};
