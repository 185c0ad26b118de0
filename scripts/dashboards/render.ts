import { VizLegendOptionsBuilder } from '@grafana/grafana-foundation-sdk/common';
import {
  DashboardBuilder,
  DashboardCursorSync,
  DatasourceVariableBuilder,
  QueryVariableBuilder,
  RowBuilder,
  VariableRefresh,
  VariableSort,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { DataqueryBuilder } from '@grafana/grafana-foundation-sdk/prometheus';
import * as stat from '@grafana/grafana-foundation-sdk/stat';
import * as timeseries from '@grafana/grafana-foundation-sdk/timeseries';
import type { Dashboard, Panel } from './dashboard.ts';

/** Chosen on the dashboard, so that one file fits every Grafana. */
const DATASOURCE = { type: 'prometheus', uid: '$datasource' };
const WIDTH = { time: 8, stat: 6 };
const HEIGHT = { time: 8, stat: 4 };

/** Grafana's model of a dashboard, as its file. */
export function renderDashboard({ uid, title, description, variables, rows }: Dashboard): string {
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
      new QueryVariableBuilder(variable.name)
        .label(variable.label)
        .query(variable.query)
        .datasource(DATASOURCE)
        .refresh(VariableRefresh.OnTimeRangeChanged)
        .sort(VariableSort.AlphabeticalAsc),
    );
  for (const row of rows) {
    builder.withRow(new RowBuilder(row.title));
    for (const panel of row.panels) builder.withPanel(panelOf(panel));
  }
  return `${JSON.stringify(builder.build(), null, 2)}\n`;
}

function panelOf({ title, kind, unit, queries }: Panel) {
  const builder =
    kind === 'stat' ? new stat.PanelBuilder() : new timeseries.PanelBuilder().legend(new VizLegendOptionsBuilder().showLegend(true));
  builder
    .title(title)
    .datasource(DATASOURCE)
    .unit(unit === 'cores' ? 'short' : unit)
    .span(WIDTH[kind])
    .height(HEIGHT[kind]);
  for (const [index, { expr, legend }] of queries.entries())
    builder.withTarget(
      new DataqueryBuilder()
        .expr(expr)
        .legendFormat(legend)
        .refId(String.fromCharCode(65 + index))
        .datasource(DATASOURCE),
    );
  return builder;
}
