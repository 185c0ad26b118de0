import type { HttpMatch } from '../../api/routes.ts';
import type { StringMatch } from '../../api/string-match.ts';
import { askedMatch } from '../asked-match.ts';
import { escapeRegex, re2Problem, textOfPattern } from '../regex-text.ts';
import { RoutingError, refuseConditions } from '../routing-error.ts';

/** A condition on a header or a query parameter; without a value it only requires presence. */
export interface TextMatcher {
  name: string;
  value?: string;
  regex?: boolean;
}
/** One entry of a route's `matchers`, which are alternatives. The path is the parent's. */
export interface Matcher {
  headers?: TextMatcher[];
  queryParameters?: TextMatcher[];
}

/** The A/B condition, one matcher an entry. An entry that says nothing would match every request, so it is refused. */
export function matchersFor(match: readonly HttpMatch[]): Matcher[] {
  return match.map((entry, index) => {
    const field = `analysis.match[${index}]`;
    const problem = 'cannot be expressed in a RouteTable, which istio could: match on headers or queryParams';
    refuseConditions(entry, ['sourceLabels'], field, problem);
    const headers = textMatchers(entry.headers, `${field}.headers`);
    const queryParameters = textMatchers(entry.queryParams, `${field}.queryParams`);
    if (headers.length + queryParameters.length === 0)
      throw RoutingError.at(field, 'names no header and no query parameter: it would match every request');
    return { ...(headers.length > 0 ? { headers } : {}), ...(queryParameters.length > 0 ? { queryParameters } : {}) };
  });
}

/** Adds a condition on one header to every alternative, or to an empty one if there are no alternatives. */
export function withHeader(matchers: readonly Matcher[], header: TextMatcher): Matcher[] {
  const all: readonly Matcher[] = matchers.length === 0 ? [{}] : matchers;
  return all.map((matcher) => ({ ...matcher, headers: [...(matcher.headers ?? []), header] }));
}

/** The reverse of `matchersFor`; undefined when an alternative says nothing, or what an A/B condition cannot. */
export function matchFromMatchers(matchers: readonly Matcher[], likely: readonly HttpMatch[] | undefined): HttpMatch[] | undefined {
  const asked = askedMatch(likely, matchers, matchersFor);
  if (asked) return asked;
  const entries = matchers.map(({ headers = [], queryParameters = [], ...others }): HttpMatch | undefined => {
    if (headers.length + queryParameters.length === 0 || Object.keys(others).length > 0) return undefined;
    return {
      ...(headers.length > 0 ? { headers: textsOf(headers) } : {}),
      ...(queryParameters.length > 0 ? { queryParams: textsOf(queryParameters) } : {}),
    };
  });
  const read = entries.flatMap((entry) => entry ?? []);
  return read.length > 0 && read.length === entries.length ? read : undefined;
}

/** In one order, so that the same spec is the same object. */
function textMatchers(texts: Readonly<Record<string, StringMatch>> = {}, field: string): TextMatcher[] {
  return Object.entries(texts)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, text]) => {
      if ('exact' in text && text.exact !== '') return { name, value: text.exact };
      const value = patternOf(text);
      const problem = re2Problem(value);
      if (problem !== undefined) throw RoutingError.at(`${field}[${JSON.stringify(name)}].regex`, `${problem}`);
      return { name, value, regex: true };
    });
}

/** Over the whole value. A matcher without a value only requires presence, so the empty text also has a pattern. */
function patternOf(text: StringMatch): string {
  if ('prefix' in text) return `${escapeRegex(text.prefix)}.*`;
  if ('suffix' in text) return `.*${escapeRegex(text.suffix)}`;
  return ('exact' in text ? text.exact : text.regex) || '^$';
}

function textsOf(matchers: readonly TextMatcher[]): Record<string, StringMatch> {
  return Object.fromEntries(
    matchers.map(({ name, value = '', regex = false }): [string, StringMatch] => {
      if (value === '') return [name, { prefix: '' }];
      return [name, regex ? textOfPattern(value) : { exact: value }];
    }),
  );
}
