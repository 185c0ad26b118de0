import type { Observers } from '../provider.ts';
import { envoy } from '../queries/envoy.ts';

/** By the Service's name, as our router names the canary (05-W11). */
export const glooObservers: Observers = {
  Deployment: envoy('gloo', 'envoy_cluster_name=~"{{ namespace }}-{{ service }}-canaryupstream-[0-9a-zA-Z-]+_[0-9a-zA-Z-]+"'),
};
