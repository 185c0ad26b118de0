import { isDeepStrictEqual } from 'node:util';
import type { KubeObject } from '../../api/kube-object.ts';

/** A condition on a header or query parameter, in any form. */
export interface MatchCondition {
  /** The compared name: header names in lower case. */
  name: string;
  /** The only value of a request that fulfils it, if there is only one. */
  exact?: string;
  /** The condition as the route has it. */
  said: unknown;
}

/** One alternative of a rule, as providers weigh it against those of other rules: the most specific one takes a request. */
export interface Alternative {
  path: { type: 'exact' | 'prefix' | 'regex'; value: string };
  /** The method in the form of the route. */
  method?: unknown;
  headers: readonly MatchCondition[];
  queryParams: readonly MatchCondition[];
}

/** Tests if a request can fulfil both; patterns count as if they could. */
export function canMeet(one: Alternative, other: Alternative): boolean {
  const hasOtherMethod = one.method !== undefined && other.method !== undefined && !isDeepStrictEqual(one.method, other.method);
  const clash = (some: readonly MatchCondition[], others: readonly MatchCondition[]): boolean =>
    some.some(({ name, exact }) =>
      others.some((each) => each.name === name && exact !== undefined && each.exact !== undefined && each.exact !== exact),
    );
  return (
    !hasOtherMethod && pathsMeet(one.path, other.path) && !clash(one.headers, other.headers) && !clash(one.queryParams, other.queryParams)
  );
}

function pathsMeet(one: Alternative['path'], other: Alternative['path']): boolean {
  if (one.type === 'regex' || other.type === 'regex') return true;
  const [a, b] = [partsOf(one.value), partsOf(other.value)];
  const isUnder = (path: readonly string[], prefix: readonly string[]) => prefix.every((part, index) => path[index] === part);
  if (one.type === 'exact' && other.type === 'exact') return one.value === other.value;
  return (other.type === 'prefix' && isUnder(a, b)) || (one.type === 'prefix' && isUnder(b, a));
}

const partsOf = (path: string): string[] => path.split('/').filter((part) => part !== '');

/**
 * Above 0: of a request that fulfils both, `one` takes it; below 0: `other` does. 0: the older route does. `undefined` for patterns, of which each gateway has
 * an order of its own.
 * Source: Gateway API, HTTPRouteRule: exact path, longest prefix, method, number of headers, number of query parameters; Contour has the same but for the
 * method.
 */
export function precedence(one: Alternative, other: Alternative): number | undefined {
  const isClear = isDeepStrictEqual(one.path, other.path) || (one.path.type !== 'regex' && other.path.type !== 'regex');
  if (!isClear) return undefined;
  const rank = ({ path, method, headers, queryParams }: Alternative): number[] => [
    path.type === 'exact' ? 1 : 0,
    path.value.length,
    method === undefined ? 0 : 1,
    headers.length,
    queryParams.length,
  ];
  const ranks = rank(other);
  return rank(one).flatMap((value, index) => value - (ranks[index] ?? 0) || [])[0] ?? 0;
}

/** Tests if each request that fulfils `narrow` fulfils `wide`, which has the same path. */
export function isWithin(narrow: Alternative, wide: Alternative): boolean {
  const has = (all: readonly MatchCondition[], some: readonly MatchCondition[]) =>
    some.every((one) => all.some((other) => isDeepStrictEqual(one.said, other.said)));
  return (
    isDeepStrictEqual([narrow.path, narrow.method], [wide.path, wide.method]) &&
    has(narrow.headers, wide.headers) &&
    has(narrow.queryParams, wide.queryParams)
  );
}

/** The older of two routes wins if nothing else decides. A route that does not exist yet is younger than all. */
export function isOlder(one: KubeObject | undefined, other: KubeObject): boolean {
  if (one === undefined) return false;
  const key = ({ metadata: { creationTimestamp, namespace, name } }: KubeObject) => [
    String(creationTimestamp ?? ''),
    `${namespace}/${name}`,
  ];
  const [[age = '', name = ''], [otherAge = '', otherName = '']] = [key(one), key(other)];
  return age === otherAge ? name < otherName : age < otherAge;
}

/** An alternative of these that takes requests which `theirs` took until now, `undefined` if none does. `before`: alternatives of the previous route. */
export function takenFrom(
  theirs: readonly Alternative[],
  { now, before, isOlder }: { now: readonly Alternative[]; before: readonly Alternative[]; isOlder: boolean },
): Alternative | undefined {
  const wins = (one: Alternative, other: Alternative): boolean => {
    const order = precedence(one, other);
    return order === undefined || order > 0 || (order === 0 && isOlder);
  };
  return now.find((one) =>
    theirs.some((other) => wins(one, other) && canMeet(one, other) && !before.some((own) => isWithin(one, own) && wins(own, other))),
  );
}

/** In words, with only the names of its conditions: values can be secret. */
export function requestsOf(host: string, { path, method, headers, queryParams }: Alternative): string {
  const named = (what: string, conditions: readonly MatchCondition[]) =>
    conditions.length === 0 ? [] : [`${what} ${conditions.map(({ name }) => name).join(', ')}`];
  const asked = [...(method === undefined ? [] : ['a method']), ...named('header', headers), ...named('parameter', queryParams)];
  return `${host}${path.value}${asked.length > 0 ? ` with ${asked.join(' and ')}` : ''}`;
}
