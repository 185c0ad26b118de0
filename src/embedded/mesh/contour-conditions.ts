import { type MeshRequest, requestPath } from './request.ts';

interface ContourText {
  name: string;
  exact?: string;
  notexact?: string;
  prefix?: string;
  suffix?: string;
  contains?: string;
  notcontains?: string;
  regex?: string;
  present?: boolean;
  notpresent?: boolean;
  ignoreCase?: boolean;
}
export interface ContourCondition {
  prefix?: string;
  exact?: string;
  regex?: string;
  header?: ContourText;
  queryParameter?: ContourText;
}

/** The path that a chain of includes and a route require together. */
interface PathMatch {
  kind: 'exact' | 'regex' | 'prefix';
  text: string;
}

/** Tests if Contour takes the conditions of one block: at most one path, which begins with /. Another makes the whole HTTPProxy invalid. */
export function hasValidPaths(conditions: readonly ContourCondition[], inInclude: boolean): boolean {
  const paths = conditions.flatMap(({ prefix, exact, regex }) => [prefix, exact, regex].filter((path) => path));
  if (inInclude && conditions.some(({ exact, regex }) => exact || regex)) return false;
  return paths.length <= 1 && paths.every((path) => path?.startsWith('/'));
}

/** One name can have one exact value: Contour refuses a second, even the same. */
export function hasValidTexts(conditions: readonly ContourCondition[]): boolean {
  return (['header', 'queryParameter'] as const).every((kind) => {
    const names = conditions.flatMap((condition) => (condition[kind]?.exact ? [condition[kind].name.toLowerCase()] : []));
    return new Set(names).size === names.length;
  });
}

/** Paths are joined; the last condition decides whether the whole is exact, and a header is not a path. Source: contour `internal/dag/conditions.go`. */
export function mergedPath(conditions: readonly ContourCondition[]): PathMatch {
  const text = conditions
    .map(({ prefix, exact, regex }) => prefix || exact || regex || '')
    .join('')
    .replace(/\/\/+/g, '/');
  if (text === '') return { kind: 'prefix', text: '/' };
  if (conditions.some(({ regex }) => regex)) return { kind: 'regex', text };
  return { kind: conditions.at(-1)?.exact ? 'exact' : 'prefix', text };
}

/** A regex must match the whole path. */
export function matchesPath({ kind, text }: PathMatch, request: MeshRequest): boolean {
  const path = requestPath(request.url);
  if (kind === 'exact') return path === text;
  return kind === 'prefix' ? path.startsWith(text) : new RegExp(`^(?:${text})$`).test(path);
}

/** The conditions beside the path that say something: Contour ignores a condition without an operator. */
export function textsOf(conditions: readonly ContourCondition[]): { headers: ContourText[]; queries: ContourText[] } {
  const says = (text: ContourText | undefined): text is ContourText =>
    text !== undefined && Object.entries(text).some(([form, value]) => form !== 'name' && form !== 'ignoreCase' && value);
  return {
    headers: conditions.map(({ header }) => header).filter(says),
    queries: conditions.map((one) => one.queryParameter).filter(says),
  };
}

export function contourMatchesText(text: ContourText, found: string | undefined): boolean {
  const fold = (value: string): string => (text.ignoreCase ? value.toLowerCase() : value);
  if (text.present) return found !== undefined;
  if (text.notpresent) return found === undefined;
  // Envoy treats a missing value as a value that matches nothing, inverted or not.
  if (found === undefined) return false;
  if (text.notcontains) return !fold(found).includes(fold(text.notcontains));
  if (text.notexact) return fold(found) !== fold(text.notexact);
  if (text.contains) return fold(found).includes(fold(text.contains));
  if (text.exact) return fold(found) === fold(text.exact);
  if (text.prefix) return fold(found).startsWith(fold(text.prefix));
  if (text.suffix) return fold(found).endsWith(fold(text.suffix));
  return new RegExp(`^(?:${text.regex})$`, 's').test(found);
}
