import { MADE_AND_REMOVED, type ProviderDefinition, routes } from '../provider.ts';
import { istioObservers } from './observer.ts';
import { istio } from './router.ts';

const group = 'networking.istio.io';

export const istioProvider: ProviderDefinition = {
  router: () => istio,
  observers: istioObservers,
  permissions: [routes(group, ['virtualservices']), routes(group, ['destinationrules'], MADE_AND_REMOVED)],
  ownedWhole: ['http', 'tcp'],
  overlay: { prometheus: 'http://prometheus.istio-system:9090' },
};
