import type { Observers } from '../provider.ts';
import { envoy } from '../queries/envoy.ts';

export const knativeObservers: Observers = { Deployment: envoy('knative', 'envoy_cluster_name=~"{{ namespace }}/{{ route }}"') };
