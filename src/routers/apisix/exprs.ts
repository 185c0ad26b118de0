import type { HttpMatch } from '../../api/routes.ts';
import type { StringMatch } from '../../api/string-match.ts';
import { anchoredPattern, readAnchoredPattern } from '../anchored-pattern.ts';
import { checkRegex } from '../checked-regex.ts';
import { RoutingError, refuseConditions } from '../routing-error.ts';

/** One of `match.exprs` of an ApisixRoute; all of a rule hold together. */
export interface MatchExpr {
  subject?: { scope?: string; name?: string };
  op?: string;
  value?: string;
  [field: string]: unknown;
}

const SCOPES = { headers: 'Header', queryParams: 'Query' } as const;

/** An A/B condition: one list of expressions for each entry, since only rules are alternatives. */
export function renderMatch(match: readonly HttpMatch[]): MatchExpr[][] {
  return match.map((entry, index) => {
    const field = `analysis.match[${index}]`;
    refuseConditions(entry, ['sourceLabels'], field, 'cannot be expressed by APISIX: match on headers; istio can');
    const exprs = (['headers', 'queryParams'] as const).flatMap((kind) =>
      Object.entries(entry[kind] ?? {}).map(([name, condition]) => {
        checkRegex(condition, `${field}.${kind}.${name}`, 'PCRE');
        return expr(SCOPES[kind], name, condition);
      }),
    );
    if (exprs.length === 0) throw RoutingError.at(field, 'names no header or query parameter: it would match every request');
    return exprs;
  });
}

function expr(scope: string, name: string, condition: StringMatch): MatchExpr {
  if (name === '') throw RoutingError.at('analysis.match', 'names a header or query parameter without a name');
  const subject = { scope, name };
  if ('exact' in condition) return { subject, op: 'Equal', value: condition.exact };
  return { subject, op: 'RegexMatch', value: anchoredPattern(condition) };
}

/** The entry that these expressions say; undefined when they say something that no entry can. */
export function readExprs(exprs: readonly MatchExpr[]): HttpMatch | undefined {
  const entry: { headers?: Record<string, StringMatch>; queryParams?: Record<string, StringMatch> } = {};
  for (const { subject, op, value } of exprs) {
    const condition =
      value === undefined ? undefined : op === 'Equal' ? { exact: value } : op === 'RegexMatch' ? readAnchoredPattern(value) : undefined;
    const kind = subject?.scope === 'Header' ? 'headers' : subject?.scope === 'Query' ? 'queryParams' : undefined;
    if (!condition || !kind || !subject?.name) return undefined;
    entry[kind] = { ...entry[kind], [subject.name]: condition };
  }
  return entry;
}
