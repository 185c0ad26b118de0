import type { Observers } from '../provider.ts';
import { envoy } from '../queries/envoy.ts';

/** By the Service's name, as our router names the canary (05-W11). */
export const kumaObservers: Observers = {
  Deployment: envoy('kuma', 'service=~"{{ service }}-canary_{{ namespace }}_svc_[0-9a-zA-Z-]+"'),
};
