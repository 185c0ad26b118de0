import type { Observers } from '../provider.ts';
import { envoy } from '../queries/envoy.ts';

/** Both sides are Revisions: `{{ route }}` is the name of the measured one. */
const revision = 'envoy_cluster_name=~"{{ namespace }}/{{ route }}"';

export const knativeObservers: Observers = { Deployment: envoy('knative', { canary: revision, primary: revision }) };
