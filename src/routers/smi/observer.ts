import type { Observers } from '../provider.ts';
import { meshOfService, meshOfWorkload } from '../queries/mesh.ts';

const linkerd = {
  name: 'linkerd',
  requests: 'response_total',
  buckets: 'response_latency_ms_bucket',
  succeeded: 'classification!="failure"',
};

const linkerdBy = (label: string) =>
  meshOfWorkload({
    ...linkerd,
    side: (workload) => `namespace="{{ namespace }}",${label}=~"${workload}",direction="inbound"`,
    podLabel: 'pod',
    namespace: 'namespace="{{ namespace }}",direction="inbound"',
    labels: ['namespace', label],
  });

export const linkerdObservers: Observers = {
  Deployment: linkerdBy('deployment'),
  /** Linkerd labels the pods of a DaemonSet by another label. */
  DaemonSet: linkerdBy('daemonset'),
  /** The side that its clients count, like Istio's. */
  Service: meshOfService({
    ...linkerd,
    side: (service) => `dst_namespace="{{ namespace }}",dst_service="${service}",direction="outbound"`,
    namespace: 'dst_namespace="{{ namespace }}",direction="outbound"',
    labels: ['dst_namespace', 'dst_service'],
  }),
};

const osmBy = (kind: string) =>
  meshOfWorkload({
    name: 'osm',
    requests: 'osm_request_total',
    buckets: 'osm_request_duration_ms_bucket',
    succeeded: 'response_code!~"5.*"',
    side: (workload) => `destination_namespace="{{ namespace }}",destination_kind="${kind}",destination_name="${workload}"`,
    namespace: `destination_namespace="{{ namespace }}",destination_kind="${kind}"`,
    labels: ['destination_namespace', 'destination_name'],
  });

export const osmObservers: Observers = { Deployment: osmBy('Deployment'), DaemonSet: osmBy('DaemonSet') };
