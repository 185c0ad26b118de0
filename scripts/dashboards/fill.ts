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
