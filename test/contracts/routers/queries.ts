/** The built-in queries of a provider, by Flagger's table: metric, selector, what succeeded, and how long it took. */
export interface ExpectedQueries {
  metric: string;
  selector: string;
  /** Added to the selector if the counter is a bucket of a histogram. */
  and?: string;
  succeeded: string;
  duration: string;
  unit: 'ms' | 's';
}

/** All names differ, so that a test notices if one replaces another. */
export const queryNames = { name: 'podinfo', namespace: 'shop', target: 'web', service: 'store', ingress: 'front', route: 'way' };

export const quantile = (buckets: string, selector: string): string =>
  `histogram_quantile(0.99, sum(rate(${buckets}{${selector}}[2m])) by (le))`;

export const mean = (name: string, selector: string): string =>
  `sum(rate(${name}_sum{${selector}}[2m])) / sum(rate(${name}_count{${selector}}[2m])) * 1000`;

export const envoyQueries = (selector: string): ExpectedQueries => ({
  selector,
  metric: 'envoy_cluster_upstream_rq',
  succeeded: 'envoy_response_code!~"5.*"',
  duration: quantile('envoy_cluster_upstream_rq_time_bucket', selector),
  unit: 'ms',
});

export const pods = 'kubernetes_namespace="shop", kubernetes_pod_name=~"web-[0-9a-zA-Z]+(-[0-9a-zA-Z]+)"';

export const applicationQueries: ExpectedQueries = {
  metric: 'http_request_duration_seconds_count',
  selector: pods,
  succeeded: 'status!~"5.*"',
  duration: quantile('http_request_duration_seconds_bucket', pods),
  unit: 's',
};

const istio = 'reporter="destination", destination_workload_namespace="shop", destination_workload=~"web"';

/** SMI has the queries of Istio. */
export const istioQueries: ExpectedQueries = {
  metric: 'istio_requests_total',
  selector: istio,
  succeeded: 'response_code!~"5.*"',
  duration: quantile('istio_request_duration_milliseconds_bucket', istio),
  unit: 'ms',
};
