import { parseExposition } from '../../src/embedded/prometheus/exposition.ts';
import { serveMetrics } from './serve-metrics.ts';

const MS = 1000;
/** Contour calls the statistics of a cluster by namespace, Service and port. */
const SIDE = /^([^_]+)_(.+)-(canary|primary)_\d+$/;

/**
 * What Envoy has counted of requests to both sides of applications, under the names and labels of an application's own histogram: with the Gateway
 * API Serin measures by these, and the pods of the suites have no metrics.
 */
export async function startApplicationMetrics(envoyUrl: string): Promise<{ url: string; stop(): Promise<void> }> {
  const read = async (): Promise<string> => {
    const text = await fetch(envoyUrl).then((answer) => answer.text());
    const lines = parseExposition(text).flatMap(({ labels, value }) => {
      const { __name__: series, envoy_cluster_name: cluster = '', envoy_response_code: status, le } = labels;
      const [, namespace, app, side] = SIDE.exec(cluster) ?? [];
      if (app === undefined) return [];
      const pod = `kubernetes_namespace="${namespace}",kubernetes_pod_name="${app}${side === 'primary' ? '-primary' : ''}-0-0"`;
      if (series === 'envoy_cluster_upstream_rq' && status !== undefined)
        return [`http_request_duration_seconds_count{${pod},status="${status}"} ${value}`];
      if (series !== 'envoy_cluster_upstream_rq_time_bucket') return [];
      return [`http_request_duration_seconds_bucket{${pod},le="${le === '+Inf' ? le : Number(le) / MS}"} ${value}`];
    });
    return `${lines.join('\n')}\n`;
  };
  return serveMetrics(read);
}
