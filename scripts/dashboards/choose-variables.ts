import type { Dashboard } from './dashboard.ts';

/** Answer of the HTTP API of a Prometheus server; an error of the server is thrown with its words. */
export async function askPrometheus<T>(
  url: string,
  path: 'query' | 'query_range' | 'series',
  parameters: Record<string, string>,
): Promise<T> {
  const response = await fetch(`${url}/api/v1/${path}`, { method: 'POST', body: new URLSearchParams(parameters) });
  const answer = (await response.json()) as { status: string; error?: string; data: T };
  if (answer.status !== 'success') throw new Error(`${JSON.stringify(parameters)}: ${answer.error}`);
  return answer.data;
}

/**
 * A value for each variable of a dashboard, as Grafana chooses them at first: one after another, the first value that its query finds. `chosen` are the values
 * that a user has chosen.
 */
export async function chooseVariables(
  url: string,
  dashboard: Dashboard,
  chosen: Readonly<Record<string, string>>,
): Promise<Record<string, string>> {
  const values: Record<string, string> = { page: '', ...chosen };
  for (const { name, query, regex, latest } of dashboard.variables) {
    if (query === undefined || values[name] !== undefined) continue;
    const found = (await resultsOf(url, fillVariables(query, values))).map((text) => partOf(text, regex)).toSorted();
    const first = found.at(latest ? -1 : 0);
    if (first === undefined) throw new Error(`${dashboard.uid}: no value for the variable ${name}: ${query}`);
    values[name] = first;
  }
  return values;
}

async function resultsOf(url: string, query: string): Promise<string[]> {
  const [, selector, label = ''] = /^label_values\((.+), (\w+)\)$/.exec(query) ?? [];
  if (selector !== undefined) {
    const series = await askPrometheus<Record<string, string>[]>(url, 'series', { 'match[]': selector });
    return series.flatMap((labels) => labels[label] ?? []);
  }
  const [, expr] = /^query_result\((.+)\)$/.exec(query) ?? [];
  if (expr === undefined) throw new Error(`neither label_values nor query_result: ${query}`);
  const { result } = await askPrometheus<{ result: { metric: Record<string, string> }[] }>(url, 'query', { query: expr });
  // A series in Grafana's form.
  return result.map(
    ({ metric }) =>
      `{${Object.entries(metric)
        .map(([label, value]) => `${label}="${value}"`)
        .join(',')}}`,
  );
}

function partOf(text: string, regex = '/(.*)/'): string {
  return new RegExp(regex.slice(1, -1)).exec(text)?.[1] ?? '';
}

/** Variables in a text, as Grafana finds them; unknown ones stay unmodified. */
const VARIABLE = /\$(\w+)|\$\{(\w+)(?::\w+)?\}/g;

/** A query with the values that were chosen on the dashboard. A name without a value is a mistake in the query. */
export function fillVariables(expr: string, values: Readonly<Record<string, string>>): string {
  return expr.replaceAll(VARIABLE, (text, plain?: string, braced?: string) => {
    const name = plain ?? braced ?? '';
    // A group of a regular expression.
    if (/^\d/.test(name)) return text;
    const value = values[name];
    if (value === undefined) throw new Error(`the query names ${text}, which the dashboard has no variable for: ${expr}`);
    return value;
  });
}
