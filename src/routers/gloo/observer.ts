import type { Observers } from '../provider.ts';
import { envoy } from '../queries/envoy.ts';

/** By the Service's name, as our router names the sides. */
const upstream = (side: string) => `envoy_cluster_name=~"{{ namespace }}-{{ service }}-${side}upstream-[0-9a-zA-Z-]+_[0-9a-zA-Z-]+"`;

export const glooObservers: Observers = { Deployment: envoy('gloo', { canary: upstream('canary'), primary: upstream('primary') }) };
