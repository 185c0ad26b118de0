import type { Metrics } from './exposition.ts';
import { type MeshAnswer, MS } from './traffic-metrics.ts';

/** Bounds of the histogram of `countUpstream`; milliseconds. */
export const envoyHistograms = { envoy_cluster_upstream_rq_time: MS } as const;
const LABELS = ['envoy_cluster_name', 'envoy_response_code'];
export const envoySeries = { envoy_cluster_upstream_rq: LABELS, envoy_cluster_upstream_rq_time: LABELS };

/** Counters of one cluster of an Envoy; its own answers without a pod also count there. */
export function countUpstream(metrics: Metrics, cluster: string, { status, durationMs }: MeshAnswer): void {
  const labels = { envoy_cluster_name: cluster };
  metrics.count('envoy_cluster_upstream_rq', { ...labels, envoy_response_code: String(status) });
  metrics.observe('envoy_cluster_upstream_rq_time', labels, durationMs);
}
