import { ofCluster } from '../../api/permission.ts';
import { BY_SERVICE, MADE_AND_REMOVED, type ProviderDefinition, routes } from '../provider.ts';
import { envoy } from '../queries/envoy.ts';
import { kuma } from './router.ts';

/** By the Service's name, as our router names the sides. */
const service = (suffix: string) => `service=~"{{ service }}${suffix}_{{ namespace }}_svc_[0-9a-zA-Z-]+"`;

const kumaProvider: ProviderDefinition = {
  router: () => kuma,
  // The pods of the primary are also behind the apex Service, and Kuma names them by either.
  observers: {
    Deployment: envoy('kuma', {
      canary: service('-canary'),
      primary: service('(-primary)?'),
      namespace: 'service=~".+_{{ namespace }}_svc_.+"',
      labels: ['service'],
    }),
  },
  board: { id: 'kuma', title: 'Kuma', toPrimary: BY_SERVICE },
  permissions: [ofCluster(routes('kuma.io', ['trafficroutes'], MADE_AND_REMOVED))],
  overlay: { prometheus: 'http://prometheus-server.mesh-observability:80' },
};

export { kumaProvider as kuma };
