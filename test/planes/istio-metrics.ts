import { serveMetrics } from './application-metrics.ts';

export interface IstioMetrics {
  /** Prometheus text. */
  readonly url: string;
  /** Requests that the canary of an application has received, by `namespace/name`, at the last scrape. */
  canaryRequests(): Record<string, number>;
  stop(): Promise<void>;
}

const SERIES = /^envoy_cluster_(upstream_rq|upstream_rq_time_bucket)\{([^}]*)\} (\S+)$/;
const LABEL = /(\w+)="([^"]*)"/g;
/** Istio names a cluster by direction, port, subset and host name. */
export const SIDE = /^outbound\|\d+\|\|(?<app>.+)-(?<side>canary|primary)\.(?<namespace>[^.]+)\.svc\.cluster\.local$/;
const NAMES: Record<string, string> = {
  upstream_rq: 'istio_requests_total',
  upstream_rq_time_bucket: 'istio_request_duration_milliseconds_bucket',
};

/**
 * Serves Envoy's counts of requests to both sides of applications, with the names and labels of Istio's telemetry.
 * Istio's telemetry filter exists only in Istio's own build of Envoy, which is not available here.
 */
export async function startIstioMetrics(admin: string): Promise<IstioMetrics> {
  let requests: Record<string, number> = {};
  const read = async (): Promise<string> => {
    const text = await fetch(`${admin}/stats/prometheus?usedonly&filter=^cluster\\.outbound`).then((answer) => answer.text());
    const lines: string[] = [];
    const counted: Record<string, number> = {};
    for (const line of text.split('\n')) {
      const [, series = '', labels = '', value] = SERIES.exec(line) ?? [];
      const { cluster_name = '', ...others } = Object.fromEntries(
        [...labels.matchAll(LABEL)].map(([, key = '', text = '']) => [key, text]),
      );
      const { app, side, namespace } = SIDE.exec(cluster_name)?.groups ?? {};
      // The sum over all status codes is also a series.
      if (app === undefined || (series === 'upstream_rq' && others.response_code === undefined)) continue;
      const workload = side === 'canary' ? app : `${app}-primary`;
      const own = { reporter: 'destination', destination_workload_namespace: namespace, destination_workload: workload, ...others };
      const text = Object.entries(own).map(([key, each]) => `${key}="${each}"`);
      lines.push(`${NAMES[series]}{${text.join(',')}} ${value}`);
      const key = `${namespace}/${app}`;
      if (side === 'canary' && series === 'upstream_rq') counted[key] = (counted[key] ?? 0) + Number(value);
    }
    requests = counted;
    return `${lines.join('\n')}\n`;
  };
  return { ...(await serveMetrics(read)), canaryRequests: () => requests };
}
