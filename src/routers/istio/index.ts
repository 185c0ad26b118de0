import { MADE_AND_REMOVED, type ProviderDefinition, routes } from '../provider.ts';
import { istioBoard, istioObservers } from './observer.ts';
import { istio } from './router.ts';

const group = 'networking.istio.io';

const istioProvider: ProviderDefinition = {
  router: () => istio,
  observers: istioObservers,
  board: istioBoard,
  permissions: [routes(group, ['virtualservices']), routes(group, ['destinationrules'], MADE_AND_REMOVED)],
  ownedWhole: ['http', 'tcp'],
  overlay: { prometheus: 'http://prometheus.istio-system:9090' },
};

export { istioProvider as istio };
