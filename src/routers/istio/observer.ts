import type { Board, Observers } from '../provider.ts';
import { meshOfService, meshOfWorkload } from '../queries/mesh.ts';

const istio = {
  name: 'istio',
  requests: 'istio_requests_total',
  buckets: 'istio_request_duration_milliseconds_bucket',
  succeeded: 'response_code!~"5.*"',
};

/** Also of SMI, whose requests Istio counts. */
export const istioBoard: Board = { id: 'istio', title: 'Istio and SMI' };

export const istioObservers: Observers = {
  Deployment: meshOfWorkload({
    ...istio,
    side: (workload) => `reporter="destination",destination_workload_namespace="{{ namespace }}",destination_workload=~"${workload}"`,
    podLabel: 'instance',
    namespace: 'reporter="destination",destination_workload_namespace="{{ namespace }}"',
    labels: ['destination_workload_namespace', 'destination_workload'],
  }),
  /**
   * The pods of a Service target have any names: requests are counted by the Service that they were sent to, as their senders
   * count them, since a pod knows all Services that select it.
   */
  Service: meshOfService({
    ...istio,
    side: (service) => `reporter="source",destination_service_namespace="{{ namespace }}",destination_service_name="${service}"`,
    namespace: 'reporter="source",destination_service_namespace="{{ namespace }}"',
    labels: ['destination_service_namespace', 'destination_service_name'],
  }),
};
