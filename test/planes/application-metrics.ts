import { createServer } from 'node:http';
import { loopback } from '../../src/embedded/network.ts';
import { parseExposition } from '../../src/embedded/prometheus/exposition.ts';
import type { ProxyCase } from '../scenarios/real-proxy.ts';
import { type IstioMetrics, SIDE } from './istio-metrics.ts';

const MS = 1000;

/** Names of an application's side in Envoy's counters: two labels. The first contains the groups `namespace`, `app` and `side`. */
interface Naming {
  cluster: string;
  status: string;
  side: RegExp;
}
/** Contour calls the statistics of a cluster by namespace, Service and port. */
export const CONTOUR_NAMES: Naming = {
  cluster: 'envoy_cluster_name',
  status: 'envoy_response_code',
  side: /^(?<namespace>[^_]+)_(?<app>.+)-(?<side>canary|primary)_\d+$/,
};
export const ISTIO_NAMES: Naming = { cluster: 'cluster_name', status: 'response_code', side: SIDE };

/** Series of the canary in these metrics. */
export const applicationSeries: Pick<ProxyCase, 'series' | 'statusLabel'> = {
  series: (more) =>
    `sum(rate(http_request_duration_seconds_count{kubernetes_namespace="{{ namespace }}",kubernetes_pod_name="{{ target }}-0-0"${more}}[{{ interval }}]))`,
  statusLabel: 'status',
};

/**
 * Serves Envoy's counts of requests to both sides of applications, with the names and labels of an application's own histogram. With the Gateway API, Serin
 * measures by that histogram, and the pods of the suites have no metrics.
 */
export async function startApplicationMetrics(
  envoyUrl: string,
  names: Naming,
): Promise<Pick<IstioMetrics, 'url' | 'canaryRequests' | 'stop'>> {
  let requests: Record<string, number> = {};
  const read = async (): Promise<string> => {
    const counted: Record<string, number> = {};
    const text = await fetch(envoyUrl).then((answer) => answer.text());
    const lines = parseExposition(text).flatMap(({ labels, value }) => {
      const { __name__: series, le } = labels;
      const status = labels[names.status];
      const { namespace, app, side } = names.side.exec(labels[names.cluster] ?? '')?.groups ?? {};
      if (app === undefined) return [];
      const pod = `kubernetes_namespace="${namespace}",kubernetes_pod_name="${app}${side === 'primary' ? '-primary' : ''}-0-0"`;
      if (series === 'envoy_cluster_upstream_rq' && status !== undefined) {
        const key = `${namespace}/${app}`;
        if (side === 'canary') counted[key] = (counted[key] ?? 0) + value;
        return [`http_request_duration_seconds_count{${pod},status="${status}"} ${value}`];
      }
      if (series !== 'envoy_cluster_upstream_rq_time_bucket') return [];
      return [`http_request_duration_seconds_bucket{${pod},le="${le === '+Inf' ? le : Number(le) / MS}"} ${value}`];
    });
    requests = counted;
    return `${lines.join('\n')}\n`;
  };
  return { ...(await serveMetrics(read)), canaryRequests: () => requests };
}

/** Prometheus text, read for each scrape; 503 if it cannot be read. */
export async function serveMetrics(read: () => Promise<string>): Promise<{ url: string; stop(): Promise<void> }> {
  const server = createServer((_, response) => {
    read().then(
      (text) => response.end(text),
      () => response.writeHead(503).end(),
    );
  });
  const listener = await loopback.listen(server);
  return { url: `${listener.url}/metrics`, stop: () => listener.close(true) };
}
