import { MADE_AND_REMOVED, type ProviderDefinition, routes } from '../provider.ts';
import { apisixObservers } from './observer.ts';
import { apisix } from './router.ts';

const apisixProvider: ProviderDefinition = {
  router: () => apisix,
  observers: apisixObservers,
  board: { id: 'apisix', title: 'Apache APISIX', toPrimary: 'APISIX counts both sides of a route together, and so do the checks.' },
  permissions: [routes('apisix.apache.org', ['apisixroutes'], MADE_AND_REMOVED)],
  ownedWhole: ['http'],
  mergedLists: [{ kind: 'ApisixRoute', field: 'http', keyOf: ({ name }) => String(name) }],
};

export { apisixProvider as apisix };
