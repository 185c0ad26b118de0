import type { Observers } from '../provider.ts';
import { mesh } from '../queries/mesh.ts';

export const istioObservers: Observers = {
  /** Source: 05-B10. */
  Deployment: mesh(
    'istio',
    'istio_requests_total',
    'istio_request_duration_milliseconds_bucket',
    'reporter="destination",destination_workload_namespace="{{ namespace }}",destination_workload=~"{{ target }}"',
    'response_code!~"5.*"',
  ),
  /**
   * The pods of a Service target have any names: requests are counted by the Service that they were sent to, as their senders
   * count them, since a pod knows all Services that select it (05-W10, 04-R-O2).
   */
  Service: mesh(
    'istio',
    'istio_requests_total',
    'istio_request_duration_milliseconds_bucket',
    'reporter="source",destination_service_namespace="{{ namespace }}",destination_service_name="{{ service }}-canary"',
    'response_code!~"5.*"',
    false,
  ),
};
