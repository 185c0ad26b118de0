import type { ProviderDefinition } from '../provider.ts';
import { envoy } from '../queries/envoy.ts';
import { knative } from './router.ts';

/** Both sides are Revisions: `{{ route }}` is the name of the measured one. */
const revision = 'envoy_cluster_name=~"{{ namespace }}/{{ route }}"';

const knativeProvider: ProviderDefinition = {
  router: () => knative,
  observers: {
    Deployment: envoy('knative', {
      canary: revision,
      primary: revision,
      namespace: 'envoy_cluster_name=~"{{ namespace }}/.+"',
      labels: ['envoy_cluster_name'],
    }),
  },
  board: {
    id: 'knative',
    title: 'Knative',
    kind: 'Service',
    toPrimary: [
      revision,
      'envoy_cluster_name=~"{{ namespace }}/{{ target }}-[0-9a-zA-Z]+",envoy_cluster_name!~"{{ namespace }}/{{ route }}"',
    ],
    variables: [
      {
        name: 'route',
        label: 'Revision under analysis',
        query: 'label_values(envoy_cluster_upstream_rq{envoy_cluster_name=~"$namespace/$target-[0-9a-zA-Z]+"}, envoy_cluster_name)',
        regex: '/[^/]+/(.+)/',
        latest: true,
      },
    ],
  },
  // Revisions have Services of Knative's.
  pastApex: [],
  // The Service that is the target: its permissions are those of the workload.
  permissions: [],
};

export { knativeProvider as knative };
