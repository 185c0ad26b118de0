import type { KubeObject } from '../../api/kube-object.ts';
import { keptIn, oncePerObject } from '../../base/once.ts';
import { controllerOf } from '../controllers/selectors.ts';
import { createMetrics, type Metrics, type SeriesLabels } from './exposition.ts';
import type { Destination } from './request.ts';

/** Upper bounds of histograms, in milliseconds. */
export const MS = [0.5, 1, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000, 60_000];
/** Upper bounds of histograms, in seconds. */
export const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** `histograms`: the bounds of the providers' own histograms (`RouteResolver.histograms`). */
export const trafficMetrics = (histograms: Readonly<Record<string, readonly number[]>>): Metrics =>
  createMetrics({
    istio_request_duration_milliseconds: MS,
    response_latency_ms: MS,
    osm_request_duration_ms: MS,
    http_request_duration_seconds: SECONDS,
    ...histograms,
  });

interface MeteredWorkload {
  kind: string;
  name: string;
  /** `namespace/name`. */
  key: string;
}

/** The workload of a pod, as meshes name it: the Deployment above its ReplicaSet, or its direct controller. */
export const workloadLabels = oncePerObject((pod: KubeObject): MeteredWorkload => {
  const { namespace, name: ownName, labels } = pod.metadata;
  const owner = controllerOf(pod) ?? { kind: 'Pod', name: ownName };
  const hash = labels?.['pod-template-hash'];
  const isOfDeployment = owner.kind === 'ReplicaSet' && hash !== undefined;
  const name = isOfDeployment ? owner.name.replace(new RegExp(`-${hash}$`), '') : owner.name;
  return { kind: isOfDeployment ? 'Deployment' : owner.kind, name, key: `${namespace}/${name}` };
});

export interface MeshAnswer {
  destination: Destination;
  /** Absent when no pod answered. */
  pod?: KubeObject | undefined;
  status: number;
  /** True when the proxy made the answer itself. */
  isProxyError: boolean;
  method: string;
  path: string;
  durationMs: number;
}

/** Adds so many answers that took so long. */
type CountAnswers = (durationMs: number, times: number) => void;
/** By the input of the labels: of one pod a few come again and again. */
const known = oncePerObject((_: Metrics) => new WeakMap<object, Map<string, CountAnswers>>());
const NO_POD = {};

/** Counts one answer, or some alike, under the names of every sidecar mesh: the counts of a sidecar at either end, and of the app itself. */
export function recordAnswer(metrics: Metrics, answered: MeshAnswer, times = 1): void {
  const { destination, pod = NO_POD, status, isProxyError, method, path } = answered;
  const ofPod = keptIn(known(metrics), pod, () => new Map());
  const key = `${destination.namespace}/${destination.name} ${status} ${isProxyError} ${method} ${path}`;
  keptIn(ofPod, key, () => countOf(metrics, answered))(answered.durationMs, times);
}

function countOf(metrics: Metrics, { destination, pod, status, isProxyError, method, path }: MeshAnswer): CountAnswers {
  const workload = pod ? workloadLabels(pod) : { kind: 'unknown', name: 'unknown' };
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
  const series: { count(times: number): void; observe(duration: number, times: number): void; unitMs: number }[] = [];
  const add = (counter: string, labels: SeriesLabels, histogram: string, timed: SeriesLabels, unitMs = 1): void =>
    void series.push({ count: metrics.counter(counter, labels), observe: metrics.histogram(histogram, timed), unitMs });
  const all: CountAnswers = (durationMs, times) => {
    for (const { count, observe, unitMs } of series) {
      count(times);
      observe(durationMs / unitMs, times);
    }
  };
  for (const reporter of pod && !isProxyError ? ['source', 'destination'] : ['source']) {
    const labels = { reporter, ...istio };
    add('istio_requests_total', labels, 'istio_request_duration_milliseconds', labels);
  }
  if (!pod || isProxyError) return all;
  const namespace = pod.metadata.namespace ?? '';
  const linkerd = {
    namespace,
    // Linkerd labels a pod by its owner's kind: DaemonSet pods have no `deployment`.
    [workload.kind.toLowerCase()]: workload.name,
    pod: pod.metadata.name,
    direction: 'inbound',
    status_code: code,
  };
  // The client's proxy also counts the Service that the request was sent to, whichever workload answers.
  const outbound = { direction: 'outbound', dst_namespace: destination.namespace, dst_service: destination.name, status_code: code };
  const classification = status >= 500 ? 'failure' : 'success';
  for (const labels of [linkerd, outbound]) add('response_total', { ...labels, classification }, 'response_latency_ms', labels);
  const osm = { destination_namespace: namespace, destination_kind: workload.kind, destination_name: workload.name };
  add('osm_request_total', { ...osm, response_code: code }, 'osm_request_duration_ms', osm);
  const app = { kubernetes_namespace: namespace, kubernetes_pod_name: pod.metadata.name, method, path, status: code };
  add('http_requests_total', app, 'http_request_duration_seconds', app, 1000);
  return all;
}
