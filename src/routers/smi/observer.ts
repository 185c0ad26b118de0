import type { Observers } from '../provider.ts';
import { mesh } from '../queries/mesh.ts';

const linkerdBy = (label: string) =>
  mesh(
    'linkerd',
    'response_total',
    'response_latency_ms_bucket',
    `namespace="{{ namespace }}",${label}=~"{{ target }}",direction="inbound"`,
    'classification!="failure"',
  );

export const linkerdObservers: Observers = {
  /** Source: 05-B11. */
  Deployment: linkerdBy('deployment'),
  /** Linkerd labels the pods of a DaemonSet by another label (05-W34). */
  DaemonSet: linkerdBy('daemonset'),
  /** As its clients count them, like Istio's. */
  Service: mesh(
    'linkerd',
    'response_total',
    'response_latency_ms_bucket',
    'dst_namespace="{{ namespace }}",dst_service="{{ service }}-canary",direction="outbound"',
    'classification!="failure"',
    false,
  ),
};

const osmBy = (kind: string) =>
  mesh(
    'osm',
    'osm_request_total',
    'osm_request_duration_ms_bucket',
    `destination_namespace="{{ namespace }}",destination_kind="${kind}",destination_name="{{ target }}"`,
    'response_code!~"5.*"',
  );

/** Source: 05-B18. */
export const osmObservers: Observers = { Deployment: osmBy('Deployment'), DaemonSet: osmBy('DaemonSet') };
