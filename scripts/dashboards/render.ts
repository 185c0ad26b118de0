import { BigValueGraphMode, BigValueTextMode, VizLegendOptionsBuilder } from '@grafana/grafana-foundation-sdk/common';
import {
  AnnotationQueryBuilder,
  DashboardBuilder,
  DashboardCursorSync,
  DashboardLinkBuilder,
  DashboardLinkPlacement,
  DashboardLinkType,
  DatasourceVariableBuilder,
  QueryVariableBuilder,
  RowBuilder,
  TextBoxVariableBuilder,
  VariableHide,
  VariableRefresh,
  VariableSort,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { DataqueryBuilder, PromQueryFormat } from '@grafana/grafana-foundation-sdk/prometheus';
import * as stat from '@grafana/grafana-foundation-sdk/stat';
import * as table from '@grafana/grafana-foundation-sdk/table';
import * as timeseries from '@grafana/grafana-foundation-sdk/timeseries';
import type { Dashboard, Panel, Variable } from './dashboard.ts';

/** Chosen on the dashboard, so that one file fits every Grafana. */
const DATASOURCE = { type: 'prometheus', uid: '$datasource' };
/** Columns, of 24. */
export const WIDTH = { time: 8, stat: 6, table: 12 };
/** In rows of the grid. */
export const HEIGHT = { time: 8, stat: 4, table: 8 };

/** Tag of every dashboard of Serin: the others are found by it. */
const TAG = 'serin';
/** Grafana finds a dashboard by its tags wherever it serves them, and by a path only where it knows its own. */
const OVERVIEW_TAG = 'serin-overview';

/** Grafana's model of a dashboard, as its file. */
export function renderDashboard({ uid, title, description, variables, marks = [], links = [], place, rows }: Dashboard): string {
  const builder = new DashboardBuilder(title)
    .uid(uid)
    .description(description)
    .tags(place === 'overview' ? [TAG, OVERVIEW_TAG] : [TAG])
    .timezone('browser')
    .refresh('30s')
    .time({ from: 'now-1h', to: 'now' })
    .tooltip(DashboardCursorSync.Crosshair)
    .withVariable(new DatasourceVariableBuilder('datasource').label('Data source').type('prometheus'));
  for (const variable of variables) builder.withVariable(variableOf(variable));
  if (place === 'release')
    builder.link(new DashboardLinkBuilder('Overview').type(DashboardLinkType.Dashboards).tags([OVERVIEW_TAG]).keepTime(true));
  builder.link(
    new DashboardLinkBuilder('Dashboards of Serin')
      .type(DashboardLinkType.Dashboards)
      .tags([TAG])
      .asDropdown(true)
      .includeVars(true)
      .keepTime(true),
  );
  for (const link of links)
    builder.link(new DashboardLinkBuilder(link.title).type(DashboardLinkType.Link).icon('external link').url(link.url).targetBlank(true));
  for (const { name, color, expr, text } of marks)
    builder.annotation(
      new AnnotationQueryBuilder()
        .name(name)
        .datasource(DATASOURCE)
        .enable(true)
        .iconColor(color)
        .expr(expr)
        .step('60s')
        .titleFormat(name)
        .textFormat(text),
    );
  for (const row of rows) {
    builder.withRow(new RowBuilder(row.title));
    for (const panel of row.panels) builder.withPanel(panelOf(panel));
  }
  return `${JSON.stringify(builder.build(), asNeeded, 2)}\n`;
}

function variableOf({ name, label, query, regex, hidden, all, latest }: Variable) {
  if (query === undefined) return new TextBoxVariableBuilder(name).label(label);
  const builder = new QueryVariableBuilder(name)
    .label(label)
    .query(query)
    .datasource(DATASOURCE)
    .refresh(VariableRefresh.OnTimeRangeChanged)
    .sort(latest ? VariableSort.AlphabeticalDesc : VariableSort.AlphabeticalAsc);
  if (regex) builder.regex(regex);
  if (hidden) builder.hide(VariableHide.HideVariable);
  if (all) builder.includeAll(true).multi(true).current({ text: 'All', value: '$__all' });
  return builder;
}

/** Style of a limit beside a measured series. */
const LIMIT = [
  { id: 'color', value: { mode: 'fixed', fixedColor: 'red' } },
  { id: 'custom.lineStyle', value: { fill: 'dash', dash: [10, 10] } },
];

/** The SDK gives what is of intervals to all variables, and to tables a field that newer versions have no more. */
const NOT_NEEDED = ['auto', 'auto_min', 'auto_count', 'footer'];

/** Without what the SDK adds unasked: it puts links and marks into a menu, and knows no name for the usual place, in sight. */
function asNeeded(key: string, value: unknown): unknown {
  const isMenu = key === 'placement' && value === DashboardLinkPlacement.InControlsMenu;
  return isMenu || NOT_NEEDED.includes(key) ? undefined : value;
}

const BUILDERS = {
  stat: () => new stat.PanelBuilder().graphMode(BigValueGraphMode.None),
  time: () => new timeseries.PanelBuilder().legend(new VizLegendOptionsBuilder().showLegend(true)),
  table: () =>
    new table.PanelBuilder().withTransformation({
      id: 'organize',
      options: { excludeByName: { Time: true }, renameByName: { Value: 'for' } },
    }),
};

function panelOf({ title, description, kind, unit, queries, link, repeat, shows }: Panel) {
  const builder = (shows ? BUILDERS.stat().textMode(BigValueTextMode.Name) : BUILDERS[kind]())
    .title(title)
    .datasource(DATASOURCE)
    .unit(unit === 'cores' ? 'short' : unit)
    .span(WIDTH[kind])
    .height(HEIGHT[kind]);
  if (description) builder.description(description);
  if (repeat) builder.repeat(repeat).repeatDirection('h').maxPerRow(3);
  if (link) builder.dataLinks([new DashboardLinkBuilder(link.title).url(link.url).targetBlank(true)]);
  for (const [index, { expr, legend, limit }] of queries.entries()) {
    const refId = String.fromCharCode(65 + index);
    const query = new DataqueryBuilder().expr(expr).legendFormat(legend).refId(refId).datasource(DATASOURCE);
    // A series that has ended within the hour has no value now.
    if (kind !== 'time') query.instant();
    builder.withTarget(kind === 'table' ? query.format(PromQueryFormat.Table) : query);
    if (limit) builder.overrideByQuery(refId, LIMIT);
  }
  return builder;
}
