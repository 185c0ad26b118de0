import type { Observer } from './observer.ts';
import { percentiles, successRate } from './shapes.ts';

function mesh(name: string, metric: string, buckets: string, selector: string, succeeded: string, selectsWorkload = true): Observer {
  return {
    name,
    ...successRate(metric, selector, succeeded),
    ...percentiles(buckets, selector),
    durationUnit: 'ms',
    selectsWorkload,
  };
}

/** Source: 05-B10. */
export const istio = mesh(
  'istio',
  'istio_requests_total',
  'istio_request_duration_milliseconds_bucket',
  'reporter="destination",destination_workload_namespace="{{ namespace }}",destination_workload=~"{{ target }}"',
  'response_code!~"5.*"',
);

/**
 * The pods of a Service target have any names: requests are counted by the Service that they were sent to, as their senders
 * count them, since a pod knows all Services that select it (05-W10, 04-R-O2).
 */
export const istioService = mesh(
  'istio',
  'istio_requests_total',
  'istio_request_duration_milliseconds_bucket',
  'reporter="source",destination_service_namespace="{{ namespace }}",destination_service_name="{{ service }}-canary"',
  'response_code!~"5.*"',
  false,
);

const linkerdBy = (label: string) =>
  mesh(
    'linkerd',
    'response_total',
    'response_latency_ms_bucket',
    `namespace="{{ namespace }}",${label}=~"{{ target }}",direction="inbound"`,
    'classification!="failure"',
  );
/** Source: 05-B11. */
export const linkerd = linkerdBy('deployment');
/** Linkerd labels the pods of a DaemonSet by another label (05-W34). */
export const linkerdDaemonSet = linkerdBy('daemonset');

/** As its clients count them, like Istio's. */
export const linkerdService = mesh(
  'linkerd',
  'response_total',
  'response_latency_ms_bucket',
  'dst_namespace="{{ namespace }}",dst_service="{{ service }}-canary",direction="outbound"',
  'classification!="failure"',
  false,
);

const osmBy = (kind: string) =>
  mesh(
    'osm',
    'osm_request_total',
    'osm_request_duration_ms_bucket',
    `destination_namespace="{{ namespace }}",destination_kind="${kind}",destination_name="{{ target }}"`,
    'response_code!~"5.*"',
  );
/** Source: 05-B18. */
export const osm = osmBy('Deployment');
export const osmDaemonSet = osmBy('DaemonSet');
