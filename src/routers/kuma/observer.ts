import type { Observers } from '../provider.ts';
import { envoy } from '../queries/envoy.ts';

/** By the Service's name, as our router names the sides. */
const service = (suffix: string) => `service=~"{{ service }}${suffix}_{{ namespace }}_svc_[0-9a-zA-Z-]+"`;

export const kumaObservers: Observers = {
  // The pods of the primary are also behind the apex Service, and Kuma names them by either.
  Deployment: envoy('kuma', { canary: service('-canary'), primary: service('(-primary)?') }),
};
