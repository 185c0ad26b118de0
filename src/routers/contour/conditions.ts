import { isDeepStrictEqual } from 'node:util';
import type { HttpMatch } from '../../api/routes.ts';
import type { HttpMatchRequest } from '../../api/service-spec.ts';
import type { StringMatch } from '../../api/string-match.ts';
import { escapeRegex, re2Problem } from '../regex-text.ts';
import { ifExpressible, RoutingError, refuseConditions } from '../routing-error.ts';

type TextCondition = { name: string; exact?: string; prefix?: string; suffix?: string; regex?: string; present?: true };
/** One entry of a route's `conditions`, as raw JSON. */
export type RouteCondition =
  | { prefix: string }
  | { exact: string }
  | { regex: string }
  | { header: TextCondition }
  | { queryParameter: TextCondition };
/** All that hold for one route. The path comes last: Contour takes the kind of a merged path from the last condition. */
export type Conditions = readonly RouteCondition[];

const anyPath: Conditions = [{ prefix: '/' }];
/** Conditions of `service.match` for which an HTTPProxy has no word. */
const unknownFields = [
  'scheme',
  'method',
  'authority',
  'withoutHeaders',
  'port',
  'sourceLabels',
  'gateways',
  'ignoreUriCase',
  'sourceNamespace',
] as const;

/** `service.match`, one route an entry; every path without entries. Throws if an entry cannot be expressed. */
export function serviceConditions(entries: readonly HttpMatchRequest[] | undefined): Conditions[] {
  if (!entries?.length) return [anyPath];
  return entries.map((entry, index) => {
    const field = `service.match[${index}]`;
    for (const name of unknownFields) {
      const value: unknown = entry[name];
      if (value !== undefined && (typeof value !== 'object' || Object.keys(value ?? {}).length > 0))
        throw RoutingError.at(`${field}.${name}`, 'cannot be expressed in an HTTPProxy', 'match on uri, headers or queryParams');
    }
    return [...textConditions(entry, field), pathCondition(entry.uri, `${field}.uri`)];
  });
}

/**
 * The expressible part, for routes that lead to the primary anyway, so that no edit in the middle of a release keeps traffic from the primary. An
 * entry keeps only its expressible conditions.
 */
export function expressibleConditions(entries: readonly HttpMatchRequest[] | undefined): Conditions[] {
  if (!entries?.length) return [anyPath];
  return entries.map(({ uri, headers, queryParams }) => [
    ...textConditions({ headers: expressible('headers', headers), queryParams: expressible('queryParams', queryParams) }, ''),
    ifExpressible(() => pathCondition(uri, '')) ?? { prefix: '/' },
  ]);
}

function expressible(kind: 'headers' | 'queryParams', texts: HttpMatch['headers'] = {}): NonNullable<HttpMatch['headers']> {
  return Object.fromEntries(
    Object.entries(texts).filter(([name, text]) => ifExpressible(() => textConditions({ [kind]: { [name]: text } }, '').length > 0)),
  );
}

/**
 * `analysis.match` within `service.match`: every pair is a route of its own, since entries are alternatives and conditions of one route
 * hold together. An entry that says nothing would match every request, so it is refused.
 */
export function mergeConditions(analysis: readonly HttpMatch[], service: readonly Conditions[]): Conditions[] {
  return analysis.flatMap((entry, index) => {
    const field = `analysis.match[${index}]`;
    const problem = 'cannot be expressed in an HTTPProxy, which istio could: match on headers or queryParams';
    refuseConditions(entry, ['sourceLabels'], field, problem);
    const own = textConditions(entry, field);
    if (own.length === 0) throw RoutingError.at(field, 'names no header and no query parameter: it would match every request');
    return service.map((conditions) => own.reduceRight(joined, conditions));
  });
}

function textConditions(entry: Pick<HttpMatch, 'headers' | 'queryParams'>, field: string): RouteCondition[] {
  const headers = sorted(entry.headers).map(([name, text]) => ({ header: headerText(name, text, `${field}.headers`) }));
  const queries = sorted(entry.queryParams).map(([name, text]) => ({ queryParameter: queryText(name, text, `${field}.queryParams`) }));
  return [...headers, ...queries].reduceRight<Conditions>((all, one) => joined(all, one), []).slice();
}

/** In one order, so that the same spec is the same object. */
const sorted = (map: Readonly<Record<string, StringMatch>> | undefined) =>
  Object.entries(map ?? {}).toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));

/** Contour refuses a second exact value for one name, though it can only mean that both hold: it is said as a pattern. */
function joined(conditions: Conditions, one: RouteCondition): Conditions {
  if (conditions.some((other) => isDeepStrictEqual(other, one))) return conditions;
  const text = textOf(one);
  const isTaken = conditions.some((other) => {
    const known = textOf(other);
    return known?.exact !== undefined && 'header' in other === 'header' in one && known.name.toLowerCase() === text?.name.toLowerCase();
  });
  if (text?.exact === undefined || !isTaken) return [one, ...conditions];
  const pattern = { name: text.name, regex: escapeRegex(text.exact) };
  return joined(conditions, 'header' in one ? { header: pattern } : { queryParameter: pattern });
}

function textOf(condition: RouteCondition): TextCondition | undefined {
  if ('header' in condition) return condition.header;
  return 'queryParameter' in condition ? condition.queryParameter : undefined;
}

/** A header knows neither prefix nor suffix. An empty text would be no condition at all to Contour. */
function headerText(name: string, text: StringMatch, field: string): TextCondition {
  if ('exact' in text) return text.exact === '' ? { name, regex: '^$' } : { name, exact: text.exact };
  if ('regex' in text) return { name, regex: checked(text.regex, `${field}[${JSON.stringify(name)}]`) };
  const affix = 'prefix' in text ? text.prefix : text.suffix;
  if (affix === '') return { name, present: true };
  return { name, regex: 'prefix' in text ? `${escapeRegex(affix)}.*` : `.*${escapeRegex(affix)}` };
}

function queryText(name: string, text: StringMatch, field: string): TextCondition {
  if ('exact' in text || 'regex' in text) return headerText(name, text, field);
  const [[form = '', affix = ''] = []] = Object.entries(text);
  return affix === '' ? { name, present: true } : { name, [form]: affix };
}

function pathCondition(uri: StringMatch | undefined, field: string): RouteCondition {
  if (!uri) return { prefix: '/' };
  if ('suffix' in uri) throw RoutingError.at(`${field}.suffix`, 'cannot be expressed in an HTTPProxy', 'use prefix, exact or regex');
  const [[form = '', path = ''] = []] = Object.entries(uri);
  if (!path.startsWith('/')) throw RoutingError.at(`${field}.${form}`, 'does not begin with /, which Contour requires');
  if ('regex' in uri) checked(uri.regex, field);
  return uri;
}

function checked(pattern: string, field: string): string {
  const problem = re2Problem(pattern);
  if (problem !== undefined) throw RoutingError.at(`${field}.regex`, `${problem}`);
  return pattern === '' ? '^$' : pattern;
}
