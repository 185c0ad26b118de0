import { BY_SERVICE, type ProviderDefinition, routes } from '../provider.ts';
import { envoy } from '../queries/envoy.ts';
import { gloo } from './router.ts';

/** By the Service's name, as our router names the sides. */
const upstream = (side: string) => `envoy_cluster_name=~"{{ namespace }}-{{ service }}-${side}upstream-[0-9a-zA-Z-]+_[0-9a-zA-Z-]+"`;

const glooProvider: ProviderDefinition = {
  router: () => gloo,
  observers: {
    Deployment: envoy('gloo', {
      canary: upstream('canary'),
      primary: upstream('primary'),
      namespace: 'envoy_cluster_name=~"{{ namespace }}-.+upstream-.+"',
      labels: ['envoy_cluster_name'],
    }),
  },
  board: { id: 'gloo', title: 'Gloo', toPrimary: BY_SERVICE },
  permissions: [routes('gateway.solo.io', ['routetables']), routes('gloo.solo.io', ['upstreams'])],
  ownedWhole: ['routes'],
};

export { glooProvider as gloo };
