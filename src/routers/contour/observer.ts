import type { Observers } from '../provider.ts';
import { envoy } from '../queries/envoy.ts';

const service = (side: string) => `envoy_cluster_name=~"{{ namespace }}_{{ service }}-${side}_[0-9a-zA-Z-]+"`;

export const contourObservers: Observers = {
  Deployment: envoy('contour', {
    canary: service('canary'),
    primary: service('primary'),
    namespace: 'envoy_cluster_name=~"{{ namespace }}_.+"',
    labels: ['envoy_cluster_name'],
  }),
};
