import { askPrometheus, fillVariables } from './choose-variables.ts';
import type { Dashboard, Panel } from './dashboard.ts';

export interface Range {
  fromMs: number;
  toMs: number;
  stepMs: number;
}

export interface AnsweredSeries {
  legend: string;
  limit: boolean;
  /** Time in milliseconds, and value. */
  points: readonly (readonly [number, number])[];
}

export interface AnsweredPanel {
  title: string;
  kind: Panel['kind'];
  unit: Panel['unit'];
  shows?: Panel['shows'];
  series: readonly AnsweredSeries[];
}

/** A dashboard with the results of its queries over a time. */
export interface AnsweredDashboard {
  title: string;
  range: Range;
  marks: readonly { name: string; color: string; atMs: number }[];
  rows: readonly { title: string; panels: readonly AnsweredPanel[] }[];
}

type Matrix = { result: { metric: Record<string, string>; values: [number, string][] }[] };

/** Runs every query as Grafana would; a panel that repeats is listed once for each of `repeats`. */
export async function answersOf(
  url: string,
  { title, rows, marks = [] }: Dashboard,
  values: Readonly<Record<string, string>>,
  repeats: readonly string[],
  range: Range,
): Promise<AnsweredDashboard> {
  const ask = async (expr: string, filling: Readonly<Record<string, string>>): Promise<Matrix['result']> => {
    const [start, end, step] = [range.fromMs, range.toMs, range.stepMs].map((ms) => String(ms / 1000)) as [string, string, string];
    return (await askPrometheus<Matrix>(url, 'query_range', { query: fillVariables(expr, filling), start, end, step })).result;
  };
  const panelOf = async (panel: Panel, filling: Readonly<Record<string, string>>): Promise<AnsweredPanel> => {
    const series = await Promise.all(
      panel.queries.map(async ({ expr, legend, limit = false }) =>
        (await ask(expr, filling)).map(({ metric, values }) => ({
          legend: legend.replaceAll(/\{\{(\w+)\}\}/g, (_, label: string) => metric[label] ?? ''),
          limit,
          points: values.map(([seconds, value]) => [seconds * 1000, Number(value)] as const),
        })),
      ),
    );
    const { kind, unit, shows } = panel;
    return { title: fillVariables(panel.title, filling), kind, unit, ...(shows && { shows }), series: series.flat() };
  };
  const begun = await Promise.all(
    marks.map(async ({ name, color, expr }) =>
      (await ask(expr, values)).flatMap(({ values: at }) =>
        at
          .map(([seconds]) => seconds * 1000)
          // A mark holds for a minute: where it begins is what counts.
          .filter((ms, index, all) => ms - (all[index - 1] ?? Number.NEGATIVE_INFINITY) > range.stepMs)
          .map((atMs) => ({ name, color, atMs })),
      ),
    ),
  );
  const answered = rows.map(async ({ title, panels }) => ({
    title,
    panels: await Promise.all(
      panels.flatMap((panel) =>
        panel.repeat ? repeats.map((value) => panelOf(panel, { ...values, [panel.repeat ?? '']: value })) : [panelOf(panel, values)],
      ),
    ),
  }));
  return { title, range, marks: begun.flat(), rows: await Promise.all(answered) };
}
