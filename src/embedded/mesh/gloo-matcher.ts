import { isDeepStrictEqual } from 'node:util';
import { headerOf, type MeshRequest, queryOf, requestPath } from './request.ts';

interface GlooText {
  name: string;
  value?: string;
  regex?: boolean;
  invertMatch?: boolean;
}
/** One of a route's `matchers`; they are alternatives. */
export interface GlooMatcher {
  prefix?: string;
  exact?: string;
  regex?: string;
  caseSensitive?: boolean;
  headers?: GlooText[];
  queryParameters?: GlooText[];
  methods?: string[];
}
/** Fields that a delegated route takes from the route above it. */
export interface Inheritance {
  inheritableMatchers?: boolean;
  inheritablePathMatchers?: boolean;
}

export const anyPath: GlooMatcher = { prefix: '/' };
const hasPath = ({ prefix, exact, regex }: GlooMatcher): boolean => Boolean(prefix || exact || regex);

/** The matcher of a route that delegates: a prefix, by default `/`; `undefined` if Gloo refuses it. */
export function delegateMatcher(matchers: readonly GlooMatcher[] | undefined): GlooMatcher | undefined {
  const [matcher, ...others] = matchers ?? [];
  if (others.length > 0) return undefined;
  if (!matcher || !hasPath(matcher)) return anyPath;
  return matcher.prefix ? matcher : undefined;
}

/**
 * A delegated route's matchers under its parent's; `undefined` if they do not go together, which drops only that route. Source: gloo
 * `projects/gateway/pkg/translator/converter.go`.
 */
export function underParent(
  matchers: readonly GlooMatcher[] | undefined,
  parent: GlooMatcher,
  child: Inheritance,
): GlooMatcher[] | undefined {
  const { prefix, caseSensitive, headers = [], queryParameters = [], methods = [] } = parent;
  const own: readonly GlooMatcher[] = matchers?.length ? matchers : [child.inheritablePathMatchers ? {} : anyPath];
  const merged = own.map(({ exact, regex, ...matcher }): GlooMatcher => {
    const path = child.inheritablePathMatchers
      ? { prefix: prefix ?? '/', ...(caseSensitive === undefined ? {} : { caseSensitive }) }
      : {
          ...(exact ? { exact } : {}),
          ...(regex ? { regex } : {}),
          ...(hasPath({ exact: exact ?? '', regex: regex ?? '', ...matcher }) ? {} : anyPath),
        };
    if (!child.inheritableMatchers) return { ...matcher, ...path };
    return {
      ...matcher,
      ...path,
      headers: [...headers, ...(matcher.headers ?? [])],
      queryParameters: [...queryParameters, ...(matcher.queryParameters ?? [])],
      methods: [...methods, ...(matcher.methods ?? [])],
    };
  });
  const holds = (all: readonly GlooText[], wanted: readonly GlooText[]): boolean =>
    // The later of two with one name counts.
    wanted.every((text) =>
      isDeepStrictEqual(
        all.findLast(({ name }) => name === text.name),
        text,
      ),
    );
  const fits = (matcher: GlooMatcher): boolean =>
    (matcher.prefix || matcher.exact || matcher.regex || '').startsWith(prefix ?? '/') &&
    matcher.caseSensitive === caseSensitive &&
    holds(matcher.headers ?? [], headers) &&
    holds(matcher.queryParameters ?? [], queryParameters) &&
    methods.every((method) => matcher.methods?.includes(method));
  return merged.every(fits) ? merged : undefined;
}

/** All parts of a matcher must hold; an absent one does. */
export function matches(matcher: GlooMatcher, request: MeshRequest): boolean {
  return (
    matchesPath(matcher, requestPath(request.url)) &&
    (!matcher.methods?.length || matcher.methods.includes(request.method)) &&
    (matcher.headers ?? []).every((text) => matchesText(text, headerOf(request, text.name))) &&
    (matcher.queryParameters ?? []).every((text) => matchesText(text, queryOf(request, text.name)))
  );
}

function matchesPath({ prefix, exact, regex, caseSensitive = true }: GlooMatcher, path: string): boolean {
  const fold = (text: string): string => (caseSensitive ? text : text.toLowerCase());
  if (exact) return fold(path) === fold(exact);
  if (regex) return new RegExp(`^(?:${regex})$`).test(path);
  return fold(path).startsWith(fold(prefix || '/'));
}

/** A matcher without a value requires presence. */
function matchesText({ value = '', regex = false, invertMatch = false }: GlooText, found: string | undefined): boolean {
  if (value === '') return (found !== undefined) !== invertMatch;
  if (found === undefined) return false;
  return (regex ? new RegExp(`^(?:${value})$`, 's').test(found) : found === value) !== invertMatch;
}
