import { expect, it } from 'vitest';
import { panelQueriesOf, queriesOf } from '../scripts/dashboards/dashboard.ts';
import { dashboardOf, dashboards } from '../scripts/dashboards/index.ts';
import { renderDashboard } from '../scripts/dashboards/render.ts';
import { alertRules } from '../scripts/observability/alert-rules.ts';
import { metricRows } from '../scripts/observability/metrics-table.ts';
import { observerFor } from '../src/routers/observers.ts';

it('06-F15: dashboards and alerts ask only for metrics that Serin has', async () => {
  const known = new Set((await metricRows()).map(({ name }) => name));
  const asked = [...dashboards.flatMap(queriesOf), ...alertRules].flatMap(({ expr }) => expr.match(/\b(?:flagger|serin)_\w+/g) ?? []);
  expect(asked.map((name) => name.replace(/_(?:bucket|count)$/, '')).filter((name) => !known.has(name))).toEqual([]);
});

it('06-F15: each metric of Serin is on a dashboard or in an alert', async () => {
  const asked = [...dashboards.flatMap(queriesOf), ...alertRules].map(({ expr }) => expr).join('\n');
  const unseen = (await metricRows()).filter(({ name }) => !asked.includes(name)).map(({ name }) => name);
  expect(unseen).toEqual([]);
});

it('06-GD1, GD5: the success rate of a mesh is the query that its checks ask', () => {
  const [primary, canary] = queriesOf(dashboardOf('serin-istio')).filter(({ panel }) => panel === 'Success rate');
  const asChecked = (target: string) =>
    observerFor('istio', 'Deployment')
      .requestSuccessRate.replaceAll('{{ namespace }}', '$namespace')
      .replaceAll('{{ target }}', target)
      .replaceAll('{{ interval }}', '$__rate_interval');
  expect(canary?.expr).toBe(asChecked('$target'));
  expect(primary?.expr).toBe(asChecked('$target-primary'));
});

const families = [
  { row: '06-GD1', uid: 'serin-istio', of: observerFor('istio', 'Deployment'), target: '$target', primary: '$target-primary' },
  { row: '06-GD1', uid: 'serin-linkerd', of: observerFor('linkerd', 'Deployment'), target: '$target', primary: '$target-primary' },
  { row: '06-GD2', uid: 'serin-envoy', of: observerFor('contour', 'Deployment'), target: '$target-canary_', primary: '$target-primary_' },
  { row: '06-GD1', uid: 'serin-nginx', of: observerFor('nginx', 'Deployment'), target: 'canary!=""', primary: 'canary=""' },
  {
    row: '06-GD1',
    uid: 'serin-gateway-api',
    of: observerFor('gatewayapi:v1', 'Deployment'),
    target: '$target',
    primary: '$target-primary',
  },
];

it.each(families)('06-GD4, GD5, $row: $uid shows each side by what it alone has', ({ uid, target, primary }) => {
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

it.each(families)('06-GD6: $uid has the durations at three quantiles, each in the unit that its metric has', ({ uid, of }) => {
  const panels = dashboardOf(uid).rows.flatMap((row) => row.panels);
  const unit = of.durationUnit === 's' ? 's' : 'ms';
  const shown = panels.filter(({ title }) => title.startsWith('Duration'));
  expect(shown.map((panel) => [panel.title, panel.unit])).toEqual(
    ['Duration that is judged', 'Duration P50', 'Duration P90', 'Duration P99'].map((title) => [title, unit]),
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
  { row: '06-GD7', title: 'CPU by pod', unit: 'cores', metric: 'rate(container_cpu_usage_seconds_total{' },
  { row: '06-GD8', title: 'Memory by pod', unit: 'bytes', metric: 'container_memory_working_set_bytes{' },
  { row: '06-GD9', title: 'Network received by pod', unit: 'Bps', metric: 'rate(container_network_receive_bytes_total{' },
  { row: '06-GD9', title: 'Network sent by pod', unit: 'Bps', metric: 'rate(container_network_transmit_bytes_total{' },
])('$row: $title is asked of the kubelet for both sides, whatever the mesh is', ({ title, unit, metric }) => {
  for (const { uid } of families) {
    const panel = dashboardOf(uid)
      .rows.flatMap((row) => row.panels)
      .find((each) => each.title === title);
    expect(panel?.unit).toBe(unit);
    expect(panel?.queries.map(({ expr }) => expr)).toEqual(['$target-primary-', '$target-'].map((pods) => expect.stringContaining(pods)));
    for (const { expr } of panel?.queries ?? []) expect(expr).toContain(`sum by (pod) (${metric}namespace="$namespace"`);
  }
});

it('06-GD11: pods of another target whose name begins alike are not shown', () => {
  const [panel] = queriesOf(dashboardOf('serin-istio'))
    .filter(({ panel }) => panel === 'Memory by pod')
    .slice(1);
  const pattern = /pod=~"([^"]*)"/.exec(panel?.expr ?? '')?.[1]?.replace('$target', 'api') ?? '';
  const isShown = (pod: string) => new RegExp(`^(?:${pattern})$`).test(pod);
  expect(['api-5d5f8-x2x4z', 'api-gateway-5d5f8-x2x4z', 'api-primary-5d5f8-x2x4z'].map(isShown)).toEqual([true, false, false]);
});

it('06-F15: each dashboard has a uid of its own, and its data source is chosen where it is shown', () => {
  expect(new Set(dashboards.map(({ uid }) => uid)).size).toBe(dashboards.length);
  for (const dashboard of dashboards) {
    const rendered = JSON.parse(renderDashboard(dashboard));
    const targets = rendered.panels.flatMap(({ targets = [] }: { targets?: { datasource: { uid: string } }[] }) => targets);
    expect(targets).toHaveLength(panelQueriesOf(dashboard).length);
    expect(new Set(targets.map(({ datasource }: { datasource: { uid: string } }) => datasource.uid))).toEqual(new Set(['$datasource']));
  }
});

it('the overview names the Canaries that failed and those that wait, with a link to each, and marks the end of releases', () => {
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
    expect(targets).toMatchObject([{ format: 'table', instant: true, expr: expect.stringMatching(/^max by \(namespace, name, phase\)/) }]);
    expect(fieldConfig.defaults.links.map(({ url }) => url)).toEqual([expect.stringContaining('/canaries/$')]);
  }
  expect(annotations.list.map(({ name, iconColor }: { name: string; iconColor: string }) => [name, iconColor])).toEqual([
    ['Promoted', 'green'],
    ['Rolled back', 'red'],
  ]);
});
