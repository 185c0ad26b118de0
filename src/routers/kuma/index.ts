import { ofCluster } from '../../api/permission.ts';
import { BY_SERVICE, MADE_AND_REMOVED, type ProviderDefinition, routes } from '../provider.ts';
import { kumaObservers } from './observer.ts';
import { kuma } from './router.ts';

export const kumaProvider: ProviderDefinition = {
  router: () => kuma,
  observers: kumaObservers,
  board: { id: 'kuma', title: 'Kuma', toPrimary: BY_SERVICE },
  permissions: [ofCluster(routes('kuma.io', ['trafficroutes'], MADE_AND_REMOVED))],
  overlay: { prometheus: 'http://prometheus-server.mesh-observability:80' },
};
