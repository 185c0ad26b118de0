/** A dashboard as data; `render.ts` makes Grafana's model of it. */
export interface Dashboard {
  uid: string;
  title: string;
  description: string;
  /** Without a query: typed in. */
  variables: readonly { name: string; label: string; query?: string }[];
  /** Moments that all panels over time mark. */
  marks?: readonly { name: string; color: 'green' | 'red'; expr: string; text: string }[];
  rows: readonly { title: string; panels: readonly Panel[] }[];
}

export interface Panel {
  title: string;
  description?: string;
  /** `stat` shows the value of now, and `table` that of each series with its labels. */
  kind: 'time' | 'stat' | 'table';
  /** Of a table: where a row leads. */
  link?: { title: string; url: string };
  /** As Grafana names it. */
  unit: 'reqps' | 'percent' | 'ms' | 's' | 'bytes' | 'short' | 'Bps' | 'cores';
  queries: readonly { expr: string; legend: string }[];
}

/** Every query of a dashboard, with the panel that it is shown in; marks are in all of them. */
export function queriesOf(dashboard: Dashboard): { panel: string; expr: string }[] {
  return [...panelQueriesOf(dashboard), ...(dashboard.marks ?? []).map(({ name, expr }) => ({ panel: name, expr }))];
}

export function panelQueriesOf(dashboard: Dashboard): { panel: string; expr: string }[] {
  return dashboard.rows.flatMap(({ panels }) =>
    panels.flatMap(({ title, queries }) => queries.map(({ expr }) => ({ panel: title, expr }))),
  );
}
