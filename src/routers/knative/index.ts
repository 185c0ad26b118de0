import type { Observers, ProviderDefinition } from '../provider.ts';
import { envoy } from '../queries/envoy.ts';
import { knative } from './router.ts';

/** Both sides are Revisions: `{{ route }}` is the name of the one that is asked for. */
const revision = 'envoy_cluster_name=~"{{ namespace }}/{{ route }}"';

const knativeObservers: Observers = { Deployment: envoy('knative', { canary: revision, primary: revision }) };

export const knativeProvider: ProviderDefinition = {
  router: () => knative,
  observers: knativeObservers,
  // The Service that is the target: its permissions are those of the workload.
  permissions: [],
};
