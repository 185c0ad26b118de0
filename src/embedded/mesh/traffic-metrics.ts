import type { KubeObject } from '../../api/kube-object.ts';
import { controllerOf } from '../controllers/selectors.ts';
import type { Destination } from './destination.ts';
import { createMetrics, type Metrics } from './exposition.ts';

export const MS = [0.5, 1, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000, 60_000];
export const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** `histograms`: the bounds of what providers count of their own (`RouteResolver.histograms`). */
export const trafficMetrics = (histograms: Readonly<Record<string, readonly number[]>>): Metrics =>
  createMetrics({
    istio_request_duration_milliseconds: MS,
    response_latency_ms: MS,
    osm_request_duration_ms: MS,
    http_request_duration_seconds: SECONDS,
    ...histograms,
  });

/** What owns a pod, in the words of the meshes: the Deployment above its ReplicaSet, or its direct controller. */
export function workloadOf(pod: KubeObject): { kind: string; name: string } {
  const owner = controllerOf(pod);
  if (!owner) return { kind: 'Pod', name: pod.metadata.name };
  const hash = pod.metadata.labels?.['pod-template-hash'];
  if (owner.kind === 'ReplicaSet' && hash !== undefined)
    return { kind: 'Deployment', name: owner.name.replace(new RegExp(`-${hash}$`), '') };
  return { kind: owner.kind, name: owner.name };
}

export interface Answered {
  destination: Destination;
  /** Absent when no pod answered. */
  pod?: KubeObject;
  status: number;
  /** True when the proxy made the answer itself. */
  isProxyError: boolean;
  method: string;
  path: string;
  durationMs: number;
}

/** Counts one answer under the names of every sidecar mesh: what a sidecar at either end, and the app itself, would have counted. */
export function recordAnswer(metrics: Metrics, { destination, pod, status, isProxyError, method, path, durationMs }: Answered): void {
  const workload = pod ? workloadOf(pod) : { kind: 'unknown', name: 'unknown' };
  const code = String(status);
  const istio = {
    destination_workload: workload.name,
    destination_workload_namespace: pod?.metadata.namespace ?? 'unknown',
    destination_service: `${destination.name}.${destination.namespace}.svc.cluster.local`,
    destination_service_name: destination.name,
    destination_service_namespace: destination.namespace,
    request_protocol: 'http',
    response_code: code,
    response_flags: isProxyError ? 'UH' : '-',
  };
  const reporters = pod && !isProxyError ? ['source', 'destination'] : ['source'];
  for (const reporter of reporters) {
    metrics.count('istio_requests_total', { reporter, ...istio });
    metrics.observe('istio_request_duration_milliseconds', { reporter, ...istio }, durationMs);
  }
  if (!pod || isProxyError) return;
  const namespace = pod.metadata.namespace ?? '';
  const linkerd = {
    namespace,
    // Linkerd labels a pod by its owner's kind: DaemonSet pods have no `deployment`.
    [workload.kind.toLowerCase()]: workload.name,
    pod: pod.metadata.name,
    direction: 'inbound',
    status_code: code,
  };
  // What the proxy of the client counts beside it: the Service that the request was sent to, of whichever workload.
  const outbound = { direction: 'outbound', dst_namespace: destination.namespace, dst_service: destination.name, status_code: code };
  for (const labels of [linkerd, outbound]) {
    metrics.count('response_total', { ...labels, classification: status >= 500 ? 'failure' : 'success' });
    metrics.observe('response_latency_ms', labels, durationMs);
  }
  const osm = { destination_namespace: namespace, destination_kind: workload.kind, destination_name: workload.name };
  metrics.count('osm_request_total', { ...osm, response_code: code });
  metrics.observe('osm_request_duration_ms', osm, durationMs);
  const app = { kubernetes_namespace: namespace, kubernetes_pod_name: pod.metadata.name, method, path, status: code };
  metrics.count('http_requests_total', app);
  metrics.observe('http_request_duration_seconds', app, durationMs / 1000);
}
