/** A dashboard as data; `render.ts` makes Grafana's model of it. */
export interface Dashboard {
  uid: string;
  title: string;
  description: string;
  variables: readonly { name: string; label: string; query: string }[];
  rows: readonly { title: string; panels: readonly Panel[] }[];
}

export interface Panel {
  title: string;
  description?: string;
  /** `stat` shows the value of now. */
  kind: 'time' | 'stat';
  /** As Grafana names it. */
  unit: 'reqps' | 'percent' | 'ms' | 's' | 'bytes' | 'short' | 'Bps' | 'cores';
  queries: readonly { expr: string; legend: string }[];
}

/** Every query of a dashboard, with the panel that it is shown in. */
export function queriesOf(dashboard: Dashboard): { panel: string; expr: string }[] {
  return dashboard.rows.flatMap(({ panels }) =>
    panels.flatMap(({ title, queries }) => queries.map(({ expr }) => ({ panel: title, expr }))),
  );
}
