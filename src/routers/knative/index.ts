import type { ProviderDefinition } from '../provider.ts';
import { knativeObservers } from './observer.ts';
import { knative } from './router.ts';

export const knativeProvider: ProviderDefinition = {
  router: () => knative,
  observers: knativeObservers,
  board: {
    id: 'knative',
    title: 'Knative',
    kind: 'Service',
    toPrimary: [
      'envoy_cluster_name=~"{{ namespace }}/{{ route }}"',
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
