import { expect, it } from 'vitest';
import { queriesOf } from '../scripts/dashboards/dashboard.ts';
import { dashboardOf, dashboards } from '../scripts/dashboards/index.ts';
import { renderDashboard } from '../scripts/dashboards/render.ts';
import { alertRules } from '../scripts/observability/alert-rules.ts';
import { metricRows } from '../scripts/observability/metrics-table.ts';
import { istio } from '../src/metrics/observers/meshes.ts';

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

it('06-GD5: the success rate of a mesh is the query that its checks ask', () => {
  const [primary, canary] = queriesOf(dashboardOf('serin-istio')).filter(({ panel }) => panel === 'Success rate');
  const asChecked = (target: string) =>
    istio.requestSuccessRate
      .replaceAll('{{ namespace }}', '$namespace')
      .replaceAll('{{ target }}', target)
      .replaceAll('{{ interval }}', '$__rate_interval');
  expect(canary?.expr).toBe(asChecked('$target'));
  expect(primary?.expr).toBe(asChecked('$target-primary'));
});

it('06-GD11: pods of another target whose name begins alike are not shown', () => {
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
    expect(targets).toHaveLength(queriesOf(dashboard).length);
    expect(new Set(targets.map(({ datasource }: { datasource: { uid: string } }) => datasource.uid))).toEqual(new Set(['$datasource']));
  }
});
