import { renderQuery } from '../../src/metrics/query-template.ts';
import type { Dashboard, Panel, Variable } from './dashboard.ts';
import { releaseMarks } from './marks.ts';
import { type ObservedGroup, observedGroups } from './providers.ts';

const AT = 'namespace="$namespace",name="$target"';

/** Names that a query can use, beside namespace and target. */
const NAMES = ['service', 'ingress', 'route'] as const;
type QueryName = (typeof NAMES)[number];

/** In braces: a query can go on with a character that a variable's name can have, as in `$namespace_$service`. */
const variable = (name: string): string => `\${${name}}`;

interface Sides {
  canary: string;
  /** `undefined` if the provider counts both sides as one. */
  primary?: string;
}

/** The checks' own queries over time, for both sides: the dashboard shows the values that decide a release. */
function sidesOf(group: ObservedGroup, template: string): Sides {
  const { observer, toPrimary } = group;
  const of = (target: string, text: string): string => {
    // Skipper writes names in its own way.
    const named = (name: 'namespace' | QueryName) => variable(observer.underscoreNames ? `${name}_cleaned` : name);
    const rendered = renderQuery(text, {
      ...{ name: variable('canary'), target, namespace: named('namespace') },
      ...{ service: named('service'), ingress: named('ingress'), route: named('route') },
      ...{ interval: '$__rate_interval', variables: {} },
    });
    if ('error' in rendered) throw new Error(`${observer.name}: ${rendered.error}`);
    return rendered.query.trim().replace(/\s+/g, ' ');
  };
  const target = variable('target');
  const canary = of(target, template);
  if (typeof toPrimary === 'string') return { canary };
  return { canary, primary: toPrimary ? of(target, template.replaceAll(...toPrimary)) : of(`${target}-primary`, template) };
}

const limitOf = (matcher: string, factor = ''): Panel['queries'][number] => ({
  expr: `max by (bound) (flagger_canary_metric_limit{${AT},${matcher}})${factor}`,
  legend: 'limit, {{bound}}',
  limit: true,
});

function trafficPanels(group: ObservedGroup): Panel[] {
  const { observer, toPrimary } = group;
  const panel = (title: string, unit: Panel['unit'], template: string, limit?: Panel['queries'][number]): Panel => {
    const { canary, primary } = sidesOf(group, template);
    const queries = [
      ...(primary === undefined ? [] : [{ expr: primary, legend: 'primary' }]),
      { expr: canary, legend: primary === undefined ? 'both sides' : 'canary' },
      ...(limit ? [limit] : []),
    ];
    return { title, kind: 'time', unit, queries, ...(typeof toPrimary === 'string' && { description: toPrimary }) };
  };
  const duration = observer.durationUnit === 's' ? 's' : 'ms';
  return [
    // The same series that the checks count, a second instead of a window.
    panel('Requests', 'reqps', observer.requestCount.replace('increase(', 'rate(')),
    // Nothing but failures is 0%, as the checks take it.
    panel(
      'Success rate',
      'percent',
      `(${observer.requestSuccessRate}) or ((${observer.onlyFailures}) > 0) * 0`,
      limitOf('metric="request-success-rate"'),
    ),
    panel(
      `Duration that is judged, ${observer.durationStatistic === 'mean' ? 'mean' : 'P99'}`,
      duration,
      observer.requestDuration,
      limitOf('metric="request-duration"', duration === 's' ? '' : ' * 1000'),
    ),
    ...[0.5, 0.9, 0.99].map((quantile) => panel(`Duration P${quantile * 100}`, duration, observer.requestDurationAt(quantile))),
  ];
}

const stat = (title: string, unit: Panel['unit'], expr: string, legend: string): Panel => ({
  title,
  kind: 'stat',
  unit,
  queries: [{ expr, legend }],
});

const releasePanels: readonly Panel[] = [
  { ...stat('Phase', 'short', `flagger_canary_phase{${AT}}`, '{{phase}}'), shows: 'legend' },
  stat('Weight of the canary', 'percent', 'flagger_canary_weight{namespace="$namespace",workload="$target"}', 'canary'),
  stat('Since the last advance', 's', `time() - flagger_canary_last_advance_timestamp_seconds{${AT}}`, 'advance'),
  stat('Checks that could not be measured', 'short', `flagger_canary_unmeasured_checks{${AT}}`, 'unmeasured'),
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
        expr: `sum by (metric, verdict) (increase(flagger_canary_checks_total{${AT}}[$__rate_interval]))`,
        legend: '{{metric}} {{verdict}}',
      },
    ],
  },
];

/** Grafana escapes the values of a variable that can have several as for a regular expression, also where it is one. */
const ONE_METRIC = 'metric=~"$metric"';

const checkPanel: Panel = {
  title: 'Check $metric',
  description: 'The last value that was judged, and its limits; request-duration in seconds',
  kind: 'time',
  unit: 'short',
  repeat: 'metric',
  queries: [{ expr: `flagger_canary_metric_analysis{${AT},${ONE_METRIC}}`, legend: 'value' }, limitOf(ONE_METRIC)],
};

/** Pods of the kubelet, with any mesh. */
function usePanels(podsOf: (target: string) => string): Panel[] {
  const network = (target: string): string => `namespace="$namespace",pod=~"${podsOf(target)}"`;
  const pods = (target: string): string => `${network(target)},container!="",container!="POD"`;
  const panel = (title: string, unit: Panel['unit'], of: (target: string) => string): Panel => ({
    title,
    kind: 'time',
    unit,
    queries: [
      { expr: of('$target-primary'), legend: 'primary {{pod}}' },
      { expr: of('$target'), legend: 'canary {{pod}}' },
    ],
  });
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

/** More of them in one name are not replaced. */
const MOST_CLEANED = 12;

/** A label's value with `_` for each character that is not of a word: PromQL replaces one at a time. */
function cleaned(label: string): string {
  let expr = `label_replace(flagger_canary_info{${AT}}, "cleaned", "$1", "${label}", "(.*)")`;
  for (let times = 0; times < MOST_CLEANED; times += 1)
    // biome-ignore lint/suspicious/noTemplateCurlyInString: groups of the expression
    expr = `label_replace(${expr}, "cleaned", "${'${1}_${2}'}", "cleaned", "(.*)[^0-9A-Za-z_](.*)")`;
  return `query_result(${expr})`;
}

/** Names that its queries use: each follows from the chosen Canary, but for the names that the group brings. */
function nameVariables(group: ObservedGroup): Variable[] {
  const { observer, variables = [], toPrimary } = group;
  const text = [observer.requestCount, ...(Array.isArray(toPrimary) ? toPrimary : [])].join('\n');
  const asked = NAMES.filter((name) => text.includes(`{{ ${name} }}`) && !variables.some((one) => one.name === name));
  if (observer.underscoreNames)
    return (['namespace', ...asked] as const).map((name) => ({
      name: `${name}_cleaned`,
      label: name,
      query: cleaned(name),
      regex: '/cleaned="([^"]*)"/',
      hidden: true,
    }));
  return asked.map((name) => ({ name, label: name, query: `label_values(flagger_canary_info{${AT}}, ${name})`, hidden: true }));
}

function dashboardFor(group: ObservedGroup): Dashboard {
  const { id, title, providers, kinds, variables = [], podsOf } = group;
  const judged = [`provider=~"${providers.join('|')}"`, kinds].filter(Boolean).join(',');
  const marks = releaseMarks(AT);
  return {
    uid: `serin-${id}`,
    title: `Releases: ${title}`,
    description: `Both sides of one release, by the queries of its checks with ${title}`,
    variables: [
      { name: 'page', label: 'Address of serin dashboard' },
      { name: 'namespace', label: 'Namespace', query: `label_values(flagger_canary_info{${judged}}, namespace)` },
      { name: 'target', label: 'Target', query: `label_values(flagger_canary_info{${judged},namespace="$namespace"}, name)` },
      { name: 'canary', label: 'Canary', query: `label_values(flagger_canary_info{${AT}}, canary)`, hidden: true },
      ...variables,
      ...nameVariables(group),
      { name: 'metric', label: 'Check', query: `label_values(flagger_canary_metric_analysis{${AT}}, metric)`, all: true },
    ],
    place: 'release',
    marks: [marks.began, ...marks.ended],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: Grafana's own variables
    links: [{ title: 'This Canary in serin dashboard', url: '${page:raw}/canaries/${namespace}/${canary}' }],
    rows: [
      { title: 'Release', panels: releasePanels },
      { title: 'Traffic', panels: trafficPanels(group) },
      { title: 'Checks against their limits', panels: [checkPanel] },
      ...(podsOf ? [{ title: 'Pods', panels: usePanels(podsOf) }] : []),
    ],
  };
}

/** One dashboard for each set of queries. Namespaces and targets come from Serin's own metrics, with any mesh. */
export const releaseDashboards: readonly Dashboard[] = observedGroups.map(dashboardFor);
