import { MADE_AND_REMOVED, type ProviderDefinition, routes } from '../provider.ts';
import { apisixObservers } from './observer.ts';
import { apisix } from './router.ts';

export const apisixProvider: ProviderDefinition = {
  router: () => apisix,
  observers: apisixObservers,
  permissions: [routes('apisix.apache.org', ['apisixroutes'], MADE_AND_REMOVED)],
  ownedWhole: ['http'],
  mergedLists: [{ kind: 'ApisixRoute', field: 'http', keyOf: ({ name }) => String(name) }],
};
