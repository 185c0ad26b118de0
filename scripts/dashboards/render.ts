import { VizLegendOptionsBuilder } from '@grafana/grafana-foundation-sdk/common';
import {
  AnnotationQueryBuilder,
  DashboardBuilder,
  DashboardCursorSync,
  DashboardLinkBuilder,
  DatasourceVariableBuilder,
  QueryVariableBuilder,
  RowBuilder,
  TextBoxVariableBuilder,
  VariableRefresh,
  VariableSort,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { DataqueryBuilder, PromQueryFormat } from '@grafana/grafana-foundation-sdk/prometheus';
import * as stat from '@grafana/grafana-foundation-sdk/stat';
import * as table from '@grafana/grafana-foundation-sdk/table';
import * as timeseries from '@grafana/grafana-foundation-sdk/timeseries';
import type { Dashboard, Panel } from './dashboard.ts';

/** Chosen on the dashboard, so that one file fits every Grafana. */
const DATASOURCE = { type: 'prometheus', uid: '$datasource' };
const WIDTH = { time: 8, stat: 6, table: 12 };
const HEIGHT = { time: 8, stat: 4, table: 8 };

/** Grafana's model of a dashboard, as its file. */
export function renderDashboard({ uid, title, description, variables, marks = [], rows }: Dashboard): string {
  const builder = new DashboardBuilder(title)
    .uid(uid)
    .description(description)
    .tags(['serin'])
    .timezone('browser')
    .refresh('30s')
    .time({ from: 'now-1h', to: 'now' })
    .tooltip(DashboardCursorSync.Crosshair)
    .withVariable(new DatasourceVariableBuilder('datasource').label('Data source').type('prometheus'));
  for (const variable of variables)
    builder.withVariable(
      variable.query === undefined
        ? new TextBoxVariableBuilder(variable.name).label(variable.label)
        : new QueryVariableBuilder(variable.name)
            .label(variable.label)
            .query(variable.query)
            .datasource(DATASOURCE)
            .refresh(VariableRefresh.OnTimeRangeChanged)
            .sort(VariableSort.AlphabeticalAsc),
    );
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
  return `${JSON.stringify(builder.build(), null, 2)}\n`;
}

const BUILDERS = {
  stat: () => new stat.PanelBuilder(),
  time: () => new timeseries.PanelBuilder().legend(new VizLegendOptionsBuilder().showLegend(true)),
  table: () =>
    new table.PanelBuilder().withTransformation({
      id: 'organize',
      options: { excludeByName: { Time: true }, renameByName: { Value: 'for' } },
    }),
};

function panelOf({ title, kind, unit, queries, link }: Panel) {
  const builder = BUILDERS[kind]()
    .title(title)
    .datasource(DATASOURCE)
    .unit(unit === 'cores' ? 'short' : unit)
    .span(WIDTH[kind])
    .height(HEIGHT[kind]);
  if (link) builder.dataLinks([new DashboardLinkBuilder(link.title).url(link.url).targetBlank(true)]);
  for (const [index, { expr, legend }] of queries.entries()) {
    const query = new DataqueryBuilder()
      .expr(expr)
      .legendFormat(legend)
      .refId(String.fromCharCode(65 + index))
      .datasource(DATASOURCE);
    builder.withTarget(kind === 'table' ? query.instant().format(PromQueryFormat.Table) : query);
  }
  return builder;
}
