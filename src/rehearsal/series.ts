import type { SyntaxNode } from '@lezer/common';
import { syntaxTree } from '../embedded/prometheus/promql/syntax-tree.ts';

const ISTIO = [
  'reporter',
  'destination_workload',
  'destination_workload_namespace',
  'destination_service',
  'destination_service_name',
  'destination_service_namespace',
  'request_protocol',
  'response_code',
  'response_flags',
];
const LINKERD = [
  'namespace',
  'deployment',
  'daemonset',
  'pod',
  'direction',
  'status_code',
  'classification',
  'dst_namespace',
  'dst_service',
];
const OSM = ['destination_namespace', 'destination_kind', 'destination_name', 'response_code'];
const APP = ['kubernetes_namespace', 'kubernetes_pod_name', 'method', 'path', 'status'];
const NGINX = ['status', 'method', 'path', 'namespace', 'ingress', 'service', 'canary', 'controller_class', 'host'];
const TRAEFIK = ['code', 'method', 'protocol', 'service'];
const SKIPPER = ['code', 'method', 'route'];
const ENVOY = ['envoy_cluster_name', 'envoy_response_code'];
const APISIX = ['code', 'type', 'route', 'matched_host', 'service', 'consumer'];

/** Series that the model produces, with their labels. */
const SERIES: Readonly<Record<string, readonly string[]>> = {
  up: [],
  istio_requests_total: ISTIO,
  istio_request_duration_milliseconds: ISTIO,
  response_total: LINKERD,
  response_latency_ms: LINKERD,
  osm_request_total: OSM,
  osm_request_duration_ms: OSM,
  http_requests_total: APP,
  http_request_duration_seconds: APP,
  nginx_ingress_controller_requests: NGINX,
  nginx_ingress_controller_response_duration_seconds: NGINX,
  traefik_service_requests_total: TRAEFIK,
  traefik_service_request_duration_seconds: TRAEFIK,
  skipper_response_duration_seconds: SKIPPER,
  skipper_serve_route_duration_seconds: SKIPPER,
  envoy_cluster_upstream_rq: ENVOY,
  envoy_cluster_upstream_rq_time: ENVOY,
  apisix_http_status: APISIX,
  apisix_http_latency: APISIX,
};
const EVERYWHERE = new Set(['job', 'instance', 'le', '__name__']);
/** In the place of what Serin puts into a query; a duration where one has to stand. */
const SAMPLE = { value: 'sample', duration: '1m' };

/**
 * Series in a query that the model does not produce, in words: `container_cpu_usage_seconds_total`, or `label route of http_requests_total`. A
 * query that cannot be parsed has none: what is wrong with it shows in the release.
 */
export function unmodelledSeries(template: string): string[] {
  const query = template.replace(/\[\s*\{\{[^}]*\}\}\s*\]/g, `[${SAMPLE.duration}]`).replace(/\{\{[^}]*\}\}/g, SAMPLE.value);
  const tree = syntaxTree(query);
  if ('mistakeAt' in tree) return [];
  const of = (node: SyntaxNode | null): string => (node === null ? '' : query.slice(node.from, node.to));
  const missing = new Set<string>();
  tree.iterate({
    enter({ node }) {
      if (node.name !== 'VectorSelector') return;
      const name = of(node.getChild('Identifier'));
      const labels = SERIES[name] ?? SERIES[name.replace(/_(bucket|sum|count)$/, '')];
      if (labels === undefined) missing.add(name === '' ? `the series of ${of(node)}` : name);
      else
        for (const label of labelsIn(node, of))
          if (!labels.includes(label) && !EVERYWHERE.has(label)) missing.add(`label ${label} of ${name}`);
    },
  });
  return [...missing];
}

function labelsIn(selector: SyntaxNode, of: (node: SyntaxNode | null) => string): string[] {
  const found: string[] = [];
  selector.cursor().iterate(({ node }) => {
    if (node.name === 'UnquotedLabelMatcher') found.push(of(node.getChild('LabelName')));
  });
  return found;
}
