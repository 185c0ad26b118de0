import { expect, it } from 'vitest';
import { fillVariables } from '../scripts/dashboards/choose-variables.ts';
import { panelQueriesOf, queriesOf } from '../scripts/dashboards/dashboard.ts';
import { dashboardOf, dashboards } from '../scripts/dashboards/index.ts';
import { observedGroups } from '../scripts/dashboards/providers.ts';
import { renderDashboard } from '../scripts/dashboards/render.ts';
import { alertRules } from '../scripts/observability/alert-rules.ts';
import { metricRows } from '../scripts/observability/metrics-table.ts';
import { providers } from '../src/api/canary.ts';
import { instantQuery } from '../src/embedded/prometheus/query.ts';
import type { LabelSet } from '../src/embedded/prometheus/series.ts';
import { SeriesStore } from '../src/embedded/prometheus/store.ts';
import { observerFor } from '../src/routers/index.ts';

it('dashboards and alerts query only metrics that Serin has', async () => {
  const known = new Set((await metricRows()).map(({ name }) => name));
  const asked = [...dashboards.flatMap(queriesOf), ...alertRules].flatMap(({ expr }) => expr.match(/\b(?:flagger|serin)_\w+/g) ?? []);
  expect(asked.map((name) => name.replace(/_(?:bucket|count)$/, '')).filter((name) => !known.has(name))).toEqual([]);
});

it('each metric of Serin is on a dashboard or in an alert', async () => {
  const asked = [...dashboards.flatMap(queriesOf), ...alertRules].map(({ expr }) => expr).join('\n');
  const unseen = (await metricRows()).filter(({ name }) => !asked.includes(name)).map(({ name }) => name);
  expect(unseen).toEqual([]);
});

/** The text of a check's query with the variables of a dashboard. */
function asChecked(template: string, target: string): string {
  const names = ['namespace', 'service', 'ingress', 'route'];
  const named = names.reduce((text, name) => text.replaceAll(`{{ ${name} }}`, `$\{${name}}`), template);
  return named.replaceAll('{{ target }}', target).replaceAll('{{ interval }}', '$__rate_interval');
}

it('the success rate of a mesh is the query of its checks, and 0 where the checks take it for 0', () => {
  const [primary, canary] = queriesOf(dashboardOf('serin-istio')).filter(({ panel }) => panel === 'Success rate');
  const { requestSuccessRate, onlyFailures } = observerFor('istio', 'Deployment');
  const asJudged = (target: string) => `(${asChecked(requestSuccessRate, target)}) or ((${asChecked(onlyFailures, target)}) > 0) * 0`;
  expect(canary?.expr).toBe(asJudged(TARGET));
  expect(primary?.expr).toBe(asJudged(`${TARGET}-primary`));
});

// biome-ignore lint/suspicious/noTemplateCurlyInString: Grafana's own variable
const TARGET = '${target}';
const mesh = { target: TARGET, primary: `${TARGET}-primary` };
// biome-ignore lint/suspicious/noTemplateCurlyInString: Grafana's own variable
const byService = { target: '${service}-canary', primary: '${service}-primary' };
/** Dashboards whose queries name the sides in a way of their own. */
const special: Readonly<Record<string, { target: string; primary: string }>> = {
  nginx: { target: 'canary!=""', primary: 'canary=""' },
  skipper: {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: Grafana's own variables
    target: '_canary__.*__${service_cleaned}_canary',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: Grafana's own variables
    primary: '(_canary__.*__${service_cleaned}_primary|__.*__${service_cleaned})',
  },
  knative: {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: Grafana's own variables
    target: 'envoy_cluster_name=~"${namespace}/${route}"',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: Grafana's own variables
    primary: 'envoy_cluster_name=~"${namespace}/${target}-[0-9a-zA-Z]+",envoy_cluster_name!~"${namespace}/${route}"',
  },
};
/** All others that show both sides. */
const families = observedGroups
  .filter(({ toPrimary }) => typeof toPrimary !== 'string')
  .map(({ id, observer, toPrimary }) => {
    const isOfService = toPrimary?.[0] === '-canary';
    return { uid: `serin-${id}`, of: observer, ...(special[id] ?? (isOfService ? byService : mesh)) };
  });

it('each provider and kind of target is judged by the queries of one dashboard, and no dashboard is of none', () => {
  const judgedBy = Object.fromEntries(
    providers.flatMap((provider) =>
      (['Deployment', 'DaemonSet', 'Service'] as const).map((kind) => {
        const observer = observerFor(provider, kind);
        const fitting = observedGroups.filter((group) => group.providers.includes(provider) && group.observer === observer);
        return [`${provider} ${kind}`, fitting.map(({ id }) => `serin-${id}`)];
      }),
    ),
  );
  for (const [what, uids] of Object.entries(judgedBy)) expect(uids, what).toHaveLength(1);
  expect([...new Set(Object.values(judgedBy).flat())].sort()).toEqual(
    dashboards
      .map(({ uid }) => uid)
      .filter((uid) => uid !== 'serin')
      .sort(),
  );
});

it('the dashboard of a provider that counts both sides as one says so, and shows no primary', () => {
  const { rows } = dashboardOf('serin-apisix');
  const panels = rows.find(({ title }) => title === 'Traffic')?.panels ?? [];
  expect(panels).toHaveLength(6);
  for (const { description, queries } of panels) {
    expect(description).toContain('both sides');
    expect(queries.filter(({ limit }) => !limit).map(({ legend }) => legend)).toEqual(['both sides']);
  }
});

it.each([
  { name: 'my-shop.v1-a', cleaned: 'my_shop_v1_a' },
  { name: 'shop', cleaned: 'shop' },
  { name: 'a-b-c-d-e-f-g-h-i-j-k-l-m', cleaned: 'a_b_c_d_e_f_g_h_i_j_k_l_m' },
])('the dashboard of Skipper finds the Ingress $name as Skipper writes it', ({ name, cleaned }) => {
  const store = new SeriesStore(60_000);
  store.append({ labels: { __name__: 'flagger_canary_info', namespace: 'test', name: 'app', ingress: name }, value: 1, tMs: 1_000 });
  const variable = dashboardOf('serin-skipper').variables.find((one) => one.name === 'ingress_cleaned');
  const [, query = ''] = /^query_result\((.*)\)$/.exec(variable?.query ?? '') ?? [];
  const data = instantQuery(store, fillVariables(query, { namespace: 'test', target: 'app' }), 1_000);
  expect(data.result).toEqual([expect.objectContaining({ metric: expect.objectContaining({ cleaned }) })]);
});

const QUERIED_MS = 60_000;

/** Value of an expression for these samples, by the labels that it keeps; counters are given by their growth in a minute. */
function given(samples: readonly { labels: LabelSet; grows?: number; value?: number }[], expr: string) {
  const store = new SeriesStore(QUERIED_MS * 10);
  for (const { labels, grows, value } of samples)
    for (let tMs = 0; tMs <= QUERIED_MS; tMs += 10_000)
      store.append({ labels, value: grows === undefined ? (value ?? 1) : (grows * tMs) / QUERIED_MS, tMs });
  const values = { namespace: 'test', target: 'app', service: 'shop', metric: 'x', __rate_interval: '1m' };
  const data = instantQuery(store, fillVariables(expr, values), QUERIED_MS);
  if (data.resultType !== 'vector') throw new Error(`${data.resultType} is not a vector`);
  return data.result.map(({ metric, value }) => ({ metric, value: Number(value[1]) }));
}

it.each([
  { uid: 'serin-kuma', of: (side: string) => ({ service: `shop-${side}_test_svc_80` }) },
  {
    uid: 'serin-appmesh',
    of: (side: string) => ({
      kubernetes_namespace: 'test',
      kubernetes_pod_name: `${side === 'canary' ? 'app' : 'app-primary'}-5d4f8c7b9-x2x2x`,
    }),
  },
  {
    uid: 'serin-appmesh-daemonset',
    of: (side: string) => ({ kubernetes_namespace: 'test', kubernetes_pod_name: `${side === 'canary' ? 'app' : 'app-primary'}-x2x2x` }),
  },
])('$uid shows to each side its own requests', ({ uid, of }) => {
  const counter = (side: string, code: string, grows: number) => ({
    labels: { __name__: 'envoy_cluster_upstream_rq', envoy_response_code: code, ...of(side) },
    grows,
  });
  const samples = [counter('canary', '200', 60), counter('canary', '503', 20), counter('primary', '503', 40)];
  const shown = queriesOf(dashboardOf(uid)).filter(({ panel, expr }) => panel === 'Success rate' && !expr.includes('flagger_'));
  expect(shown.map(({ expr }) => given(samples, expr).map(({ value }) => value))).toEqual([[0], [expect.closeTo(75, 6)]]);
});

it('the overview also shows a failed Canary whose target another Canary names', () => {
  const at = { namespace: 'test', name: 'app' };
  const samples = [
    { labels: { __name__: 'flagger_canary_phase', ...at, phase: 'Failed' } },
    { labels: { __name__: 'flagger_canary_last_advance_timestamp_seconds', ...at }, value: 20 },
    ...['mine', 'theirs'].map((canary) => ({ labels: { __name__: 'flagger_canary_info', ...at, canary } })),
  ];
  const [failed] = queriesOf(dashboardOf('serin')).filter(({ panel }) => panel === 'Failed Canaries');
  const rows = given(samples, failed?.expr ?? '');
  expect(rows).toEqual([{ metric: { ...at, phase: 'Failed', canary: expect.stringMatching(/^(?:mine|theirs)$/) }, value: 40 }]);
});

it('a mark is set when a counter has grown within a minute, from its first value on', () => {
  const [, promoted] = dashboardOf('serin-istio').marks ?? [];
  const labels = { __name__: 'flagger_canary_successes_total', namespace: 'test', name: 'app' };
  expect(given([{ labels, grows: 60 }], promoted?.expr ?? '')).toHaveLength(1);
  expect(given([{ labels, value: 3 }], promoted?.expr ?? '')).toEqual([]);
  expect(given([{ labels: { ...labels, name: 'other' }, grows: 60 }], promoted?.expr ?? '')).toEqual([]);
});

it('a dashboard of releases marks their begin and end, links to the Canary and the other dashboards, and draws limits as such', () => {
  const rendered = JSON.parse(renderDashboard(dashboardOf('serin-istio')));
  expect(rendered.annotations.list.map(({ name, iconColor }: { name: string; iconColor: string }) => `${name}: ${iconColor}`)).toEqual([
    'Began: blue',
    'Promoted: green',
    'Rolled back: red',
  ]);
  for (const { expr } of rendered.annotations.list) expect(expr).toContain('namespace="$namespace",name="$target"');
  expect(rendered.links).toMatchObject([
    { type: 'dashboards', tags: ['serin-overview'], asDropdown: false },
    { type: 'dashboards', tags: ['serin'], asDropdown: true, includeVars: true },
    // biome-ignore lint/suspicious/noTemplateCurlyInString: Grafana's own variables
    { type: 'link', url: '${page:raw}/canaries/${namespace}/${canary}' },
  ]);
  const tagged = dashboards.filter((one) => JSON.parse(renderDashboard(one)).tags.includes('serin-overview'));
  expect(tagged.map(({ uid }) => uid)).toEqual(['serin']);
  type Rendered = { title: string; repeat?: string; targets?: { refId: string; expr: string }[]; fieldConfig?: { overrides: object[] } };
  const panels = (rendered.panels as Rendered[]).filter(({ targets }) => targets);
  const limited = panels.filter(({ targets = [] }) => targets.some(({ expr }) => expr.includes('flagger_canary_metric_limit')));
  expect(limited.map(({ title, repeat }) => [title, repeat])).toEqual([
    ['Success rate', undefined],
    ['Duration that is judged, P99', undefined],
    ['Check $metric', 'metric'],
  ]);
  for (const { targets = [], fieldConfig } of limited) {
    const limit = targets.find(({ expr }) => expr.includes('flagger_canary_metric_limit'));
    expect(fieldConfig?.overrides).toMatchObject([{ matcher: { id: 'byFrameRefID', options: limit?.refId } }]);
  }
  const { expr } = limited[1]?.targets?.at(-1) ?? {};
  expect(expr).toMatch(/ \* 1000$/);
});

it('a variable with several values is compared as a regular expression, since Grafana escapes it as one', () => {
  for (const dashboard of dashboards)
    for (const { name } of dashboard.variables.filter(({ all }) => all))
      for (const { expr } of queriesOf(dashboard))
        for (const [before] of expr.matchAll(new RegExp(`.{3}\\$${name}\\b`, 'g'))) expect(before).toBe(`=~"$${name}`);
});

it('each query and link names variables of its own dashboard only, by the rules of Grafana', () => {
  for (const dashboard of dashboards) {
    const values = Object.fromEntries(
      [...dashboard.variables.map(({ name }) => name), '__rate_interval', '__data'].map((name) => [name, 'x']),
    );
    const texts = [
      ...queriesOf(dashboard).map(({ expr }) => expr),
      ...dashboard.variables.flatMap(({ query = '' }) => query),
      ...(dashboard.links ?? []).map(({ url }) => url),
    ];
    for (const text of texts) expect(fillVariables(text, values)).not.toMatch(/\$(?!\d|\{\d)/);
  }
  expect(() => fillVariables('up{a="$namespace_x"}', { namespace: 'x' })).toThrow('$namespace_x');
});

it.each(families)('$uid shows each side by what it alone has', ({ uid, target, primary }) => {
  for (const title of ['Requests', 'Success rate']) {
    const [first, second] = queriesOf(dashboardOf(uid)).filter(({ panel }) => panel === title);
    expect(first?.expr).toContain(primary);
    expect(second?.expr).toContain(target);
    // But for that the two are the same question.
    expect(first?.expr.replaceAll(primary, target)).toBe(second?.expr);
    expect(first?.expr).not.toBe(second?.expr);
  }
  const [requests] = queriesOf(dashboardOf(uid)).filter(({ panel }) => panel === 'Requests');
  expect(requests?.expr).toContain('rate(');
});

it.each(families)('$uid has the durations at three quantiles, each in the unit that its metric has', ({ uid, of }) => {
  const panels = dashboardOf(uid).rows.flatMap((row) => row.panels);
  const unit = of.durationUnit === 's' ? 's' : 'ms';
  const shown = panels.filter(({ title }) => title.startsWith('Duration'));
  expect(shown.map((panel) => [panel.title, panel.unit])).toEqual(
    [`Duration that is judged, ${of.durationStatistic === 'mean' ? 'mean' : 'P99'}`, 'Duration P50', 'Duration P90', 'Duration P99'].map(
      (title) => [title, unit],
    ),
  );
  for (const [title, quantile] of [
    ['P50', '0.5'],
    ['P90', '0.9'],
    ['P99', '0.99'],
  ] as const) {
    const { queries = [] } = panels.find((panel) => panel.title === `Duration ${title}`) ?? {};
    for (const { expr } of queries) expect(expr).toMatch(new RegExp(`histogram_quantile\\(\\s*${quantile}\\s*,`));
  }
});

it.each([
  { title: 'CPU by pod', unit: 'cores', metric: 'rate(container_cpu_usage_seconds_total{' },
  { title: 'Memory by pod', unit: 'bytes', metric: 'container_memory_working_set_bytes{' },
  { title: 'Network received by pod', unit: 'Bps', metric: 'rate(container_network_receive_bytes_total{' },
  { title: 'Network sent by pod', unit: 'Bps', metric: 'rate(container_network_transmit_bytes_total{' },
])('$title comes from the kubelet for both sides, on any mesh', ({ title, unit, metric }) => {
  // Pods of a Service target and of a Revision have other names.
  for (const { uid } of families.filter(({ uid }) => !/-service$|-knative$/.test(uid))) {
    const panel = dashboardOf(uid)
      .rows.flatMap((row) => row.panels)
      .find((each) => each.title === title);
    expect(panel?.unit).toBe(unit);
    expect(panel?.queries.map(({ expr }) => expr)).toEqual(['$target-primary-', '$target-'].map((pods) => expect.stringContaining(pods)));
    for (const { expr } of panel?.queries ?? []) expect(expr).toContain(`sum by (pod) (${metric}namespace="$namespace"`);
  }
});

it.each(['serin-istio-service', 'serin-linkerd-service', 'serin-knative'])('%s shows no pods, whose names are not known', (uid) => {
  expect(dashboardOf(uid).rows.map(({ title }) => title)).not.toContain('Pods');
});

it('pods of another target whose name begins alike are not shown', () => {
  const [panel] = queriesOf(dashboardOf('serin-istio'))
    .filter(({ panel }) => panel === 'Memory by pod')
    .slice(1);
  const pattern = /pod=~"([^"]*)"/.exec(panel?.expr ?? '')?.[1]?.replace('$target', 'api') ?? '';
  const isShown = (pod: string) => new RegExp(`^(?:${pattern})$`).test(pod);
  expect(['api-5d5f8-x2x4z', 'api-gateway-5d5f8-x2x4z', 'api-primary-5d5f8-x2x4z'].map(isShown)).toEqual([true, false, false]);
});

it('each dashboard has a uid of its own, and its data source is chosen where it is shown', () => {
  expect(new Set(dashboards.map(({ uid }) => uid)).size).toBe(dashboards.length);
  for (const dashboard of dashboards) {
    const rendered = JSON.parse(renderDashboard(dashboard));
    const targets = rendered.panels.flatMap(({ targets = [] }: { targets?: { datasource: { uid: string } }[] }) => targets);
    expect(targets).toHaveLength(panelQueriesOf(dashboard).length);
    expect(new Set(targets.map(({ datasource }: { datasource: { uid: string } }) => datasource.uid))).toEqual(new Set(['$datasource']));
  }
});

it('the overview names failed and waiting Canaries, with a link to each, and marks the end of releases', () => {
  const { panels, annotations } = JSON.parse(renderDashboard(dashboardOf('serin')));
  type Rendered = {
    type: string;
    title: string;
    targets: { format: string; instant: boolean; expr: string }[];
    fieldConfig: { defaults: { links: { url: string }[] } };
  };
  const tables = (panels as Rendered[]).filter(({ type }) => type === 'table');
  expect(tables.map(({ title }) => title)).toEqual(['Failed Canaries', 'Canaries that wait']);
  for (const { targets, fieldConfig } of tables) {
    expect(targets).toMatchObject([
      { format: 'table', instant: true, expr: expect.stringMatching(/^max by \(namespace, name, canary, phase\)/) },
    ]);
    expect(fieldConfig.defaults.links.map(({ url }) => url)).toEqual([expect.stringContaining('/canaries/$')]);
  }
  expect(annotations.list.map(({ name, iconColor }: { name: string; iconColor: string }) => [name, iconColor])).toEqual([
    ['Promoted', 'green'],
    ['Rolled back', 'red'],
  ]);
});
