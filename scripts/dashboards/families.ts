import type { Observer } from '../../src/api/observer.ts';
import { renderQuery } from '../../src/metrics/query-template.ts';
import { observerFor } from '../../src/routers/observers.ts';
import type { Dashboard, Panel } from './dashboard.ts';

/** Metrics of one mesh or ingress. Where the query does not name the target, a change of its text turns it to the primary. */
interface Family {
  id: string;
  title: string;
  observer: Observer;
  toPrimary?: readonly [canary: string, primary: string];
  variables?: Dashboard['variables'];
}

const families: readonly Family[] = [
  { id: 'istio', title: 'Istio', observer: observerFor('istio', 'Deployment') },
  { id: 'linkerd', title: 'Linkerd and SMI', observer: observerFor('linkerd', 'Deployment') },
  { id: 'envoy', title: 'Envoy (Contour)', observer: observerFor('contour', 'Deployment'), toPrimary: ['-canary_', '-primary_'] },
  {
    id: 'nginx',
    title: 'ingress-nginx',
    observer: observerFor('nginx', 'Deployment'),
    toPrimary: ['canary!=""', 'canary=""'],
    variables: [
      { name: 'ingress', label: 'Ingress', query: 'label_values(nginx_ingress_controller_requests{namespace="$namespace"}, ingress)' },
    ],
  },
  { id: 'gateway-api', title: 'Gateway API', observer: observerFor('gatewayapi:v1', 'Deployment') },
];

/** The checks' own queries over time, for both sides: the dashboard shows the values that decide a release (06-GD1–GD6). */
function sides({ observer, toPrimary }: Family, template: string): { canary: string; primary: string } {
  const of = (target: string, text: string): string => {
    const variables = {
      name: '$target',
      namespace: '$namespace',
      service: '$target',
      ingress: '$ingress',
      route: '$target',
      variables: {},
    };
    const rendered = renderQuery(text, { ...variables, target, interval: '$__rate_interval' });
    if ('error' in rendered) throw new Error(`${observer.name}: ${rendered.error}`);
    return rendered.query.trim().replace(/\s+/g, ' ');
  };
  const primary = toPrimary ? of('$target', template.replaceAll(...toPrimary)) : of('$target-primary', template);
  return { canary: of('$target', template), primary };
}

function trafficPanels(family: Family): Panel[] {
  const { observer } = family;
  const panel = (title: string, unit: Panel['unit'], template: string): Panel => {
    const { canary, primary } = sides(family, template);
    const queries = [
      { expr: primary, legend: 'primary' },
      { expr: canary, legend: 'canary' },
    ];
    return { title, kind: 'time', unit, queries };
  };
  const duration = observer.durationUnit === 's' ? 's' : 'ms';
  return [
    // The same series that the checks count, a second instead of a window.
    panel('Requests', 'reqps', observer.requestCount.replace('increase(', 'rate(')),
    panel('Success rate', 'percent', observer.requestSuccessRate),
    panel('Duration that is judged', duration, observer.requestDuration),
    ...[0.5, 0.9, 0.99].map((quantile) => panel(`Duration P${quantile * 100}`, duration, observer.requestDurationAt(quantile))),
  ];
}

const at = 'namespace="$namespace",name="$target"';
const releasePanels: readonly Panel[] = [
  {
    title: 'Phase',
    kind: 'stat',
    unit: 'short',
    queries: [{ expr: `flagger_canary_phase{${at}}`, legend: '{{phase}}' }],
  },
  {
    title: 'Traffic of each side',
    kind: 'time',
    unit: 'percent',
    queries: [
      { expr: 'flagger_canary_weight{namespace="$namespace",workload="$target-primary"}', legend: 'primary' },
      { expr: 'flagger_canary_weight{namespace="$namespace",workload="$target"}', legend: 'canary' },
    ],
  },
  {
    title: 'Checks',
    kind: 'time',
    unit: 'short',
    queries: [
      {
        expr: `sum by (metric, verdict) (increase(flagger_canary_checks_total{${at}}[$__rate_interval]))`,
        legend: '{{metric}} {{verdict}}',
      },
    ],
  },
  {
    title: 'Last value of each metric',
    kind: 'time',
    unit: 'short',
    queries: [{ expr: `flagger_canary_metric_analysis{${at}}`, legend: '{{metric}}' }],
  },
];

/** Pods by the pattern of their names, so that `api` is not `api-gateway` (06-GD11); of the kubelet, whatever the mesh is. */
function usePanels(): Panel[] {
  const pods = (target: string): string => `namespace="$namespace",pod=~"${target}-[0-9a-z]+(-[0-9a-z]+)",container!="",container!="POD"`;
  const panel = (title: string, unit: Panel['unit'], of: (target: string) => string): Panel => ({
    title,
    kind: 'time',
    unit,
    queries: [
      { expr: of('$target-primary'), legend: 'primary {{pod}}' },
      { expr: of('$target'), legend: 'canary {{pod}}' },
    ],
  });
  const network = (target: string): string => `namespace="$namespace",pod=~"${target}-[0-9a-z]+(-[0-9a-z]+)"`;
  return [
    panel('CPU by pod', 'cores', (target) => `sum by (pod) (rate(container_cpu_usage_seconds_total{${pods(target)}}[$__rate_interval]))`),
    panel('Memory by pod', 'bytes', (target) => `sum by (pod) (container_memory_working_set_bytes{${pods(target)}})`),
    ...(['received', 'sent'] as const).map((way) =>
      panel(
        `Network ${way} by pod`,
        'Bps',
        (target) =>
          `sum by (pod) (rate(container_network_${way === 'sent' ? 'transmit' : 'receive'}_bytes_total{${network(target)}}[$__rate_interval]))`,
      ),
    ),
  ];
}

/** One dashboard for each family of metrics. Namespaces and targets come from Serin's own metrics, whatever the mesh is. */
export const familyDashboards: readonly Dashboard[] = families.map((family) => ({
  uid: `serin-${family.id}`,
  title: `Releases: ${family.title}`,
  description: `Both sides of one release, by the queries that its checks ask of ${family.title}`,
  variables: [
    { name: 'namespace', label: 'Namespace', query: 'label_values(flagger_canary_status, namespace)' },
    { name: 'target', label: 'Target', query: 'label_values(flagger_canary_status{namespace="$namespace"}, name)' },
    ...(family.variables ?? []),
  ],
  rows: [
    { title: 'Release', panels: releasePanels },
    { title: 'Traffic', panels: trafficPanels(family) },
    { title: 'Pods', panels: usePanels() },
  ],
}));
