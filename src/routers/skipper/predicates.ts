import { isDeepStrictEqual } from 'node:util';
import type { HttpMatch } from '../../api/routes.ts';
import type { StringMatch } from '../../api/string-match.ts';
import { parseJson } from '../../base/json.ts';
import { anchoredPattern, readAnchoredPattern } from '../anchored-pattern.ts';
import { askedMatch } from '../asked-match.ts';
import { checkRegex } from '../checked-regex.ts';
import { RoutingError, refuseConditions } from '../routing-error.ts';

/** Puts a route before those of the user's Ingress, whose predicates count one each. */
export const FIRST = 'Weight(100)';
/** Takes a route out. */
export const NEVER = 'False()';

/** The predicates of an annotation, one each, as Skipper's `&&` joins them; `&&` in quoted texts and regular expressions does not count. */
export function splitPredicates(text: string): string[] {
  const found: string[] = [];
  let start = 0;
  let quote = '';
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charAt(index);
    if (quote !== '') {
      if (character === '\\' && quote !== '`') index += 1;
      else if (character === quote) quote = '';
    } else if (character === '"' || character === '`' || character === '/') quote = character;
    else if (text.startsWith('&&', index)) {
      found.push(text.slice(start, index).trim());
      index += 1;
      start = index + 1;
    }
  }
  return [...found, text.slice(start).trim()].filter((predicate) => predicate !== '');
}

/** The user's own predicates, without the predicates that we or Flagger set. */
export function foreignPredicates(text: string | undefined): string[] {
  return splitPredicates(text ?? '').filter((predicate) => predicate !== FIRST && predicate !== NEVER);
}

/** An A/B condition. All predicates must hold, so that alternatives cannot be expressed. */
export function renderMatch(match: readonly HttpMatch[]): string[] {
  const [entry, second] = match;
  if (!entry) throw RoutingError.at('analysis.match', 'has no entry: it would match every request');
  if (second)
    throw RoutingError.at(
      'analysis.match',
      'has more than one entry, and the predicates of an Ingress hold together: keep one; istio and apisix can take more',
    );
  refuseConditions(entry, ['sourceLabels'], 'analysis.match[0]', 'cannot be expressed by Skipper: match on headers; istio can');
  for (const field of ['headers', 'queryParams'] as const) {
    for (const [name, condition] of Object.entries(entry[field] ?? {})) checkRegex(condition, `analysis.match[0].${field}.${name}`, 'RE2');
  }
  const predicates = [
    ...Object.entries(entry.headers ?? {}).map(([name, condition]) => headerPredicate(name, condition)),
    ...Object.entries(entry.queryParams ?? {}).map(([name, condition]) => call('QueryParam', name, anchoredPattern(condition))),
  ];
  if (predicates.length === 0)
    throw RoutingError.at('analysis.match[0]', 'names no header or query parameter: it would match every request');
  return predicates;
}

function headerPredicate(name: string, condition: StringMatch): string {
  return 'exact' in condition ? call('Header', name, condition.exact) : call('HeaderRegexp', name, anchoredPattern(condition));
}

/** Texts of Skipper's route language have the escapes of JSON. */
const call = (name: string, ...texts: string[]): string => `${name}(${texts.map((text) => JSON.stringify(text)).join(', ')})`;

/** The condition between our predicates and the user's, `undefined` without one. */
export function readMatch(
  predicates: readonly string[],
  own: readonly string[],
  likely: readonly HttpMatch[] | undefined,
): HttpMatch[] | undefined | { unreadable: string } {
  const isOwnLast = own.length > 0 && isDeepStrictEqual(predicates.slice(-own.length), own);
  const conditions = isOwnLast ? predicates.slice(0, -own.length) : predicates;
  if (conditions.length === 0) return undefined;
  const asked = askedMatch(likely, conditions, renderMatch);
  if (asked) return asked;
  const entry: { headers?: Record<string, StringMatch>; queryParams?: Record<string, StringMatch> } = {};
  for (const predicate of conditions) {
    const found = readPredicate(predicate);
    if (!found) return { unreadable: `predicate ${predicate}` };
    entry[found.field] = { ...entry[found.field], [found.name]: found.condition };
  }
  return [entry];
}

function readPredicate(text: string): { field: 'headers' | 'queryParams'; name: string; condition: StringMatch } | undefined {
  const [, kind = '', args = ''] = /^(Header|HeaderRegexp|QueryParam)\((.*)\)$/s.exec(text) ?? [];
  const [name, value] = textsOf(args);
  if (name === undefined || value === undefined) return undefined;
  const condition = kind === 'Header' ? { exact: value } : readAnchoredPattern(value);
  return condition && { field: kind === 'QueryParam' ? 'queryParams' : 'headers', name, condition };
}

/** None where a text was not written by us: it has other quotes, or a number. */
function textsOf(args: string): string[] {
  const texts = parseJson(`[${args}]`);
  return Array.isArray(texts) && texts.length === 2 && texts.every((text) => typeof text === 'string') ? texts : [];
}
