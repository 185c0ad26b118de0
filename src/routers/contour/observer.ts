import type { Observers } from '../provider.ts';
import { envoy } from '../queries/envoy.ts';

export const contourObservers: Observers = {
  Deployment: envoy('contour', 'envoy_cluster_name=~"{{ namespace }}_{{ service }}-canary_[0-9a-zA-Z-]+"'),
};
