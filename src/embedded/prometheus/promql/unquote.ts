const SIMPLE: Readonly<Record<string, string>> = { a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };

/** The text of a Go string literal: back-quoted ones are raw, the others know Go's escapes. */
export function unquote(literal: string): string {
  const body = literal.slice(1, -1);
  if (literal.startsWith('`')) return body;
  return body.replace(/\\(x[\da-fA-F]{2}|u[\da-fA-F]{4}|U[\da-fA-F]{8}|[0-7]{3}|.)/gs, (_, escaped: string) => {
    if (/^[xuU]./.test(escaped)) return String.fromCodePoint(Number.parseInt(escaped.slice(1), 16));
    if (/^[0-7]{3}$/.test(escaped)) return String.fromCodePoint(Number.parseInt(escaped, 8));
    return SIMPLE[escaped] ?? escaped;
  });
}
