/** A dashboard as data; `render.ts` makes Grafana's model of it. */
export interface Dashboard {
  uid: string;
  title: string;
  description: string;
  variables: readonly Variable[];
  /** Moments that all panels over time mark. */
  marks?: readonly Mark[];
  /** Besides the list of all dashboards of Serin. */
  links?: readonly Link[];
  /** The overview itself, or a dashboard that leads to it. */
  place: 'overview' | 'release';
  rows: readonly { title: string; panels: readonly Panel[] }[];
}

export interface Variable {
  name: string;
  label: string;
  /** Without one: typed in. */
  query?: string;
  /** The part of each result that counts. */
  regex?: string;
  /** Follows from the others, and is not shown. */
  hidden?: true;
  /** All values at once, for a panel that is repeated. */
  all?: true;
  /** The last name of the alphabet is chosen at first. */
  latest?: true;
}

export interface Mark {
  name: string;
  color: 'green' | 'red' | 'blue';
  expr: string;
  text: string;
}

export interface Link {
  title: string;
  url: string;
}

export interface Panel {
  title: string;
  description?: string;
  /** `stat` shows the value of now, and `table` that of each series with its labels. */
  kind: 'time' | 'stat' | 'table';
  /** Link of a row of a table. */
  link?: Link;
  /** Unit in Grafana's words. */
  unit: 'reqps' | 'percent' | 'ms' | 's' | 'bytes' | 'short' | 'Bps' | 'cores';
  /** `limit`: drawn as a dashed line in red. */
  queries: readonly { expr: string; legend: string; limit?: true }[];
  /** For a stat: the legend instead of the value, if that is always 1. */
  shows?: 'legend';
  /** Once for each value of that variable. */
  repeat?: string;
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
