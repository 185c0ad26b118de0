import { type Board, MADE_AND_REMOVED, type ProviderDefinition, routes } from '../provider.ts';
import { istioObservers } from './observer.ts';
import { istio } from './router.ts';

const group = 'networking.istio.io';

/** Also of SMI, whose requests Istio counts. */
export const istioBoard: Board = { id: 'istio', title: 'Istio and SMI' };

export const istioProvider: ProviderDefinition = {
  router: () => istio,
  observers: istioObservers,
  board: istioBoard,
  permissions: [routes(group, ['virtualservices']), routes(group, ['destinationrules'], MADE_AND_REMOVED)],
  ownedWhole: ['http', 'tcp'],
  overlay: { prometheus: 'http://prometheus.istio-system:9090' },
};
