import { ofCluster } from '../../api/permission.ts';
import { MADE_AND_REMOVED, type Observers, type ProviderDefinition, routes } from '../provider.ts';
import { envoy } from '../queries/envoy.ts';
import { kuma } from './router.ts';

/** By the Service's name, as our router names the sides (05-W11). */
const service = (suffix: string) => `service=~"{{ service }}${suffix}_{{ namespace }}_svc_[0-9a-zA-Z-]+"`;

const kumaObservers: Observers = {
  // The pods of the primary are behind the apex Service, too, and Kuma names them by either.
  Deployment: envoy('kuma', { canary: service('-canary'), primary: service('(-primary)?') }),
};

export const kumaProvider: ProviderDefinition = {
  router: () => kuma,
  observers: kumaObservers,
  permissions: [ofCluster(routes('kuma.io', ['trafficroutes'], MADE_AND_REMOVED))],
  overlay: { prometheus: 'http://prometheus-server.mesh-observability:80' },
};
