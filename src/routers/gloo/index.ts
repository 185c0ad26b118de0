import { BY_SERVICE, type ProviderDefinition, routes } from '../provider.ts';
import { glooObservers } from './observer.ts';
import { gloo } from './router.ts';

export const glooProvider: ProviderDefinition = {
  router: () => gloo,
  observers: glooObservers,
  board: { id: 'gloo', title: 'Gloo', toPrimary: BY_SERVICE },
  permissions: [routes('gateway.solo.io', ['routetables']), routes('gloo.solo.io', ['upstreams'])],
  ownedWhole: ['routes'],
};
