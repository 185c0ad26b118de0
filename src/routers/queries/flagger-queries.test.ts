import { describe, expect, it } from 'vitest';
import { type Provider, providers } from '../../api/canary.ts';
import { renderQuery } from '../../metrics/query-template.ts';
import { observerFor } from '../observers.ts';

/** All names differ, so that one that stands for another is found. */
const variables = {
  ...{ name: 'podinfo', namespace: 'shop', target: 'web', service: 'store', ingress: 'front', route: 'way', interval: '2m' },
  variables: {},
};
const asked = (template: string): string => {
  const rendered = renderQuery(template, variables);
  return 'query' in rendered ? rendered.query.replace(/\s+/g, '') : rendered.error;
};

/** The table of 05-2.2: metric, selector, what succeeded, and how long it took. */
interface Row {
  rows: string;
  providers: readonly Provider[];
  metric: string;
  selector: string;
  /** Where the counter is a bucket of a histogram. */
  and?: string;
  succeeded: string;
  duration: string;
  unit: 'ms' | 's';
}

const envoy = { metric: 'envoy_cluster_upstream_rq', succeeded: 'envoy_response_code!~"5.*"', unit: 'ms' } as const;
const quantile = (buckets: string, selector: string) => `histogram_quantile(0.99, sum(rate(${buckets}{${selector}}[2m])) by (le))`;
const mean = (name: string, selector: string) =>
  `sum(rate(${name}_sum{${selector}}[2m])) / sum(rate(${name}_count{${selector}}[2m])) * 1000`;
const envoyRow = (rows: string, selector: string, ...providers: Provider[]): Row => ({
  ...envoy,
  rows,
  providers,
  selector,
  duration: quantile('envoy_cluster_upstream_rq_time_bucket', selector),
});

const istio = 'reporter="destination", destination_workload_namespace="shop", destination_workload=~"web"';
const linkerd = 'namespace="shop", deployment=~"web", direction="inbound"';
const pods = 'kubernetes_namespace="shop", kubernetes_pod_name=~"web-[0-9a-zA-Z]+(-[0-9a-zA-Z]+)"';
const osm = 'destination_namespace="shop", destination_kind="Deployment", destination_name="web"';
const apisix = 'route=~"shop_way-store-canary_.+"';
const traefik = 'service=~"shop-store-canary-[0-9a-zA-Z-]+@kubernetescrd"';
const nginx = 'namespace="shop", ingress="front", canary!=""';
const skipper = 'route=~"kube(ew)?_shop__front_canary__.*__store_canary(_[0-9]+)?"';

const table: readonly Row[] = [
  {
    rows: '05-B10, B4, Q14',
    providers: ['istio', 'smi:v1alpha1', 'smi:v1alpha2', 'smi:v1alpha3', 'smi:v1alpha4'],
    metric: 'istio_requests_total',
    selector: istio,
    succeeded: 'response_code!~"5.*"',
    duration: quantile('istio_request_duration_milliseconds_bucket', istio),
    unit: 'ms',
  },
  {
    rows: '05-B11',
    providers: ['linkerd'],
    metric: 'response_total',
    selector: linkerd,
    succeeded: 'classification!="failure"',
    duration: quantile('response_latency_ms_bucket', linkerd),
    unit: 'ms',
  },
  envoyRow('05-B12, Q14', pods, 'appmesh', 'appmesh:v1beta2'),
  envoyRow('05-B13', 'envoy_cluster_name=~"shop_store-canary_[0-9a-zA-Z-]+"', 'contour'),
  envoyRow('05-B14, W11', 'envoy_cluster_name=~"shop-store-canaryupstream-[0-9a-zA-Z-]+_[0-9a-zA-Z-]+"', 'gloo'),
  envoyRow('05-B15, W11', 'service=~"store-canary_shop_svc_[0-9a-zA-Z-]+"', 'kuma'),
  envoyRow('05-B16', 'envoy_cluster_name=~"shop/way"', 'knative'),
  {
    rows: '05-B17, B26, Q14',
    providers: ['kubernetes', 'none', 'gatewayapi:v1', 'gatewayapi:v1beta1'],
    metric: 'http_request_duration_seconds_count',
    selector: pods,
    succeeded: 'status!~"5.*"',
    duration: quantile('http_request_duration_seconds_bucket', pods),
    unit: 's',
  },
  {
    rows: '05-B18',
    providers: ['osm'],
    metric: 'osm_request_total',
    selector: osm,
    succeeded: 'response_code!~"5.*"',
    duration: quantile('osm_request_duration_ms_bucket', osm),
    unit: 'ms',
  },
  {
    rows: '05-B19, W11',
    providers: ['apisix'],
    metric: 'apisix_http_status',
    selector: apisix,
    succeeded: 'code!~"5.."',
    duration: quantile('apisix_http_latency_bucket', `type=~"request", ${apisix}`),
    unit: 'ms',
  },
  {
    rows: '05-B20, W11',
    providers: ['traefik'],
    metric: 'traefik_service_request_duration_seconds_bucket',
    selector: traefik,
    and: 'le="+Inf"',
    succeeded: 'code!~"5.."',
    duration: `${quantile('traefik_service_request_duration_seconds_bucket', traefik)} * 1000`,
    unit: 'ms',
  },
  {
    rows: '05-B21',
    providers: ['nginx'],
    metric: 'nginx_ingress_controller_requests',
    selector: nginx,
    succeeded: 'status!~"5.*"',
    duration: mean('nginx_ingress_controller_response_duration_seconds', nginx),
    unit: 'ms',
  },
  {
    rows: '05-B22',
    providers: ['skipper'],
    metric: 'skipper_response_duration_seconds_bucket',
    selector: skipper,
    and: 'le="+Inf"',
    succeeded: 'code!~"5.."',
    duration: mean('skipper_serve_route_duration_seconds', skipper),
    unit: 'ms',
  },
];

describe("the built-in queries are Flagger's", () => {
  it.each(table)('$rows: $providers', ({ providers: named, metric, selector, and, succeeded, duration, unit }) => {
    const all = and === undefined ? selector : `${selector}, ${and}`;
    const rate = `sum(rate(${metric}{${all}, ${succeeded}}[2m])) / sum(rate(${metric}{${all}}[2m])) * 100`;
    for (const provider of named) {
      const observer = observerFor(provider, 'Deployment');
      expect(asked(observer.requestSuccessRate), provider).toBe(rate.replace(/\s+/g, ''));
      expect(asked(observer.requestDuration), provider).toBe(duration.replace(/\s+/g, ''));
      expect(observer.durationUnit, provider).toBe(unit);
    }
  });

  it('05-B4: every provider has a row', () => {
    expect(table.flatMap((row) => row.providers).toSorted()).toEqual([...providers].toSorted());
  });

  it.each([
    { pod: 'web-6c9f-x2x4z', kind: 'Deployment', isMeasured: true },
    { pod: 'web-primary-6c9f-x2x4z', kind: 'Deployment', isMeasured: false },
    { pod: 'web-x2x4z', kind: 'Deployment', isMeasured: false },
    { pod: 'web-x2x4z', kind: 'DaemonSet', isMeasured: true },
    { pod: 'web-primary-x2x4z', kind: 'DaemonSet', isMeasured: false },
  ] as const)('05-Q18, B28, W34: pod $pod of a $kind is measured: $isMeasured', ({ pod, kind, isMeasured }) => {
    for (const provider of ['appmesh', 'kubernetes', 'gatewayapi:v1'] as const) {
      const pattern = /kubernetes_pod_name=~"([^"]+)"/.exec(asked(observerFor(provider, kind).requestSuccessRate))?.[1];
      expect(new RegExp(`^(?:${pattern})$`).test(pod), provider).toBe(isMeasured);
    }
  });

  it('05-B28, W34: pods of a DaemonSet are found by the labels that they have', () => {
    expect(asked(observerFor('linkerd', 'DaemonSet').requestSuccessRate)).toContain('daemonset=~"web"');
    expect(asked(observerFor('osm', 'DaemonSet').requestSuccessRate)).toContain('destination_kind="DaemonSet"');
  });
});
