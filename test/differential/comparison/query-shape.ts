/** PromQL without what its spelling alone decides: white space, the order of matchers, and how far a window reaches back, which DF2 cuts. */
export function queryShape(query: string): string {
  return query
    .replace(/\s+/g, '')
    .replace(/\[\d+[smh]\]/g, '[WINDOW]')
    .replace(/\{((?:[^{}"]|"(?:[^"\\]|\\.)*")*)\}/g, (_, matchers: string) => `{${(matchers.match(MATCHER) ?? []).sort().join(',')}}`);
}

/** A label, an operator and a quoted value. */
const MATCHER = /\w+[=!~]+"(?:[^"\\]|\\.)*"/g;
