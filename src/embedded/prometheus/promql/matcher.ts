import { badData } from '../query-error.ts';
import type { MatchOp, SeriesMatcher } from '../series.ts';

/** A label matcher. Regular expressions are anchored at both ends. */
export function matcher(label: string, op: MatchOp, value: string): SeriesMatcher {
  if (op === '=') return { label, op, value, matches: (text) => text === value };
  if (op === '!=') return { label, op, value, matches: (text) => text !== value };
  const pattern = anchoredRegex(value);
  return { label, op, value, matches: (text) => pattern.test(text) === (op === '=~') };
}

/** RE2's syntax as far as JavaScript shares it. Syntax that RE2 refuses is refused, so that a query is not better off here than there. */
export function anchoredRegex(source: string): RegExp {
  if (/\(\?<?[=!]/.test(source)) throw badData(`error parsing regexp: invalid or unsupported Perl syntax in ${JSON.stringify(source)}`);
  if (/(^|[^\\])(\\\\)*\\[1-9]/.test(source)) throw badData(`error parsing regexp: invalid escape sequence in ${JSON.stringify(source)}`);
  const flagged = /^\(\?([is]+)\)/.exec(source);
  const flags = new Set(`s${flagged?.[1] ?? ''}`);
  const body = source.slice(flagged?.[0].length ?? 0).replaceAll('(?P<', '(?<');
  try {
    return new RegExp(`^(?:${body})$`, [...flags].join(''));
  } catch (cause) {
    throw badData(`error parsing regexp: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
}
