import type { Canary } from '../../api/canary.ts';
import type { HttpMatch } from '../../api/routes.ts';
import type { HttpMatchRequest } from '../../api/service-spec.ts';
import { askedMatch, splitMerged } from '../asked-match.ts';
import { cookiePattern } from '../cookie.ts';
import { RoutingError } from '../routing-error.ts';
import { conditionsOf, type GatewayCondition, joinConditions, sorted, subtractConditions, toStringMatches } from './conditions.ts';
import { type GrpcMethod, grpcMethod } from './grpc-method.ts';
import type { RouteKind } from './route-kind.ts';

/** One alternative of a rule, in the form of the route; a GRPCRoute has neither path nor query. */
export interface RouteMatch {
  path?: { type: 'Exact' | 'PathPrefix' | 'RegularExpression'; value: string };
  method?: string | GrpcMethod;
  headers?: GatewayCondition[];
  queryParams?: GatewayCondition[];
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'CONNECT', 'OPTIONS', 'TRACE', 'PATCH'];
/** Istio conditions that a route cannot express; leaving one out would let more requests in. */
const FOREIGN = ['scheme', 'authority', 'withoutHeaders', 'port', 'sourceLabels', 'gateways', 'sourceNamespace'] as const;
const LONGEST_PATH = 1024;
const PATH = /^(?:[-A-Za-z0-9/._~!$&'()*+,;=:@]|%[0-9a-fA-F]{2})+$/;
const BROKEN_PATH = /\/\/|\/\.{1,2}(?:\/|$)|%2[fF]/;

/** `service.match` as conditions of the route. The API server would add `/` without a path, so it is written. */
export function serviceMatches(canary: Canary, kind: RouteKind): RouteMatch[] {
  const entries = canary.spec.service.match ?? [];
  return entries.length === 0 ? [everything(kind)] : entries.map((entry, index) => serviceMatch(entry, kind, `service.match[${index}]`));
}

function everything(kind: RouteKind): RouteMatch {
  return kind === 'HTTPRoute' ? { path: { type: 'PathPrefix', value: '/' } } : {};
}

function serviceMatch(entry: HttpMatchRequest, kind: RouteKind, field: string): RouteMatch {
  const foreign = FOREIGN.find((name) => hasContent(entry[name])) ?? (entry.ignoreUriCase ? 'ignoreUriCase' : undefined);
  if (foreign !== undefined) throw RoutingError.at(`${field}.${foreign}`, `cannot be said in ${kind}s; provider istio can`);
  const headers = conditionsOf(entry.headers ?? {}, 'headers', field);
  if (kind === 'GRPCRoute') {
    for (const name of ['method', 'queryParams'] as const)
      if (hasContent(entry[name])) throw RoutingError.at(`${field}.${name}`, 'cannot be said in a GRPCRoute', 'remove it');
    const call = entry.uri && grpcMethod(entry.uri, `${field}.uri`);
    return withConditions(call === undefined ? {} : { method: call }, headers, []);
  }
  const method = entry.method && methodOf(entry.method, `${field}.method`);
  const match: RouteMatch = { path: pathOf(entry.uri, `${field}.uri`), ...(method === undefined ? {} : { method }) };
  return withConditions(match, headers, conditionsOf(entry.queryParams ?? {}, 'queryParams', field));
}

function pathOf(uri: HttpMatchRequest['uri'], field: string): NonNullable<RouteMatch['path']> {
  if (uri === undefined) return { type: 'PathPrefix', value: '/' };
  if ('suffix' in uri) throw RoutingError.at(field, 'is a suffix, which Gateway API does not know', 'use exact, prefix or regex');
  const value = 'exact' in uri ? uri.exact : 'prefix' in uri ? uri.prefix : uri.regex;
  if (value.length > LONGEST_PATH) throw RoutingError.at(field, `has more than ${LONGEST_PATH} characters`);
  if ('regex' in uri) return { type: 'RegularExpression', value };
  if (!value.startsWith('/') || !PATH.test(value) || BROKEN_PATH.test(value))
    throw RoutingError.at(field, `is ${JSON.stringify(value)}: Gateway API takes an absolute path in its plainest form`);
  return { type: 'exact' in uri ? 'Exact' : 'PathPrefix', value };
}

function methodOf(method: NonNullable<HttpMatchRequest['method']>, field: string): string {
  if ('exact' in method && METHODS.includes(method.exact)) return method.exact;
  throw RoutingError.at(field, `must be exact for Gateway API, and one of ${METHODS.join(', ')}`);
}

/**
 * `analysis.match` within `service.match`: every pair, analysis outer, both holding. A condition that cannot be said is an
 * error and never matches every request.
 */
export function mergeMatch(analysis: readonly HttpMatch[], service: readonly RouteMatch[], kind: RouteKind): RouteMatch[] {
  return analysis.flatMap((entry, index) => {
    const field = `analysis.match[${index}]`;
    const segment = segmentOf(entry, kind, field);
    return service.map((one) => join(one, segment, field));
  });
}

function segmentOf(entry: HttpMatch, kind: RouteKind, field: string): RouteMatch {
  if (hasContent(entry.sourceLabels)) throw RoutingError.at(`${field}.sourceLabels`, `cannot be said in ${kind}s; provider istio can`);
  if (kind === 'GRPCRoute' && hasContent(entry.queryParams))
    throw RoutingError.at(`${field}.queryParams`, 'cannot be said in a GRPCRoute', 'match on headers');
  const headers = conditionsOf(entry.headers ?? {}, 'headers', field);
  const queryParams = conditionsOf(entry.queryParams ?? {}, 'queryParams', field);
  if (headers.length + queryParams.length === 0)
    throw RoutingError.at(field, 'names no header or query parameter: it would match every request');
  return withConditions({}, headers, queryParams);
}

/** Every alternative, only for holders of this cookie. Anchored, since some gateways search for the pattern and others compare the whole header. */
export function withCookie(matches: readonly RouteMatch[], pair: string): RouteMatch[] {
  const cookie: GatewayCondition = { type: 'RegularExpression', name: 'Cookie', value: `^${cookiePattern(pair)}$` };
  return matches.map((match) => join(match, { headers: [cookie] }, 'analysis.sessionAffinity'));
}

function join(base: RouteMatch, extra: RouteMatch, field: string): RouteMatch {
  return withConditions(
    base,
    joinConditions(base.headers ?? [], extra.headers ?? [], 'headers', field),
    joinConditions(base.queryParams ?? [], extra.queryParams ?? [], 'queryParams', field),
  );
}

/** The reverse of `mergeMatch`; undefined when an alternative says nothing of its own. */
export function splitMatch(
  merged: readonly RouteMatch[],
  service: readonly RouteMatch[],
  likely: readonly HttpMatch[] | undefined,
  kind: RouteKind,
): HttpMatch[] | undefined {
  return askedMatch(likely, merged, (match) => mergeMatch(match, service, kind)) ?? splitMerged(merged, service, subtract);
}

function subtract(match: RouteMatch, base: RouteMatch): HttpMatch {
  const headers = subtractConditions(match.headers ?? [], base.headers ?? [], 'headers');
  const queryParams = subtractConditions(match.queryParams ?? [], base.queryParams ?? [], 'queryParams');
  return {
    ...(headers.length > 0 ? { headers: toStringMatches(headers) } : {}),
    ...(queryParams.length > 0 ? { queryParams: toStringMatches(queryParams) } : {}),
  };
}

/** The alternatives of a rule that was read, with the fields that the API server can leave out, in our order. */
export function normalised(matches: readonly RouteMatch[] | undefined, kind: RouteKind): RouteMatch[] {
  if (!matches?.length) return [everything(kind)];
  const typed = (conditions: readonly GatewayCondition[] = []) =>
    sorted(conditions.map(({ type, ...rest }) => ({ type: type ?? 'Exact', ...rest })));
  return matches.map(({ path, method, headers, queryParams }) =>
    withConditions(
      {
        ...(kind === 'HTTPRoute' ? { path: { type: path?.type ?? 'PathPrefix', value: path?.value ?? '/' } } : {}),
        ...(method === undefined ? {} : { method }),
      },
      typed(headers),
      typed(queryParams),
    ),
  );
}

function withConditions(match: RouteMatch, headers: GatewayCondition[], queryParams: GatewayCondition[]): RouteMatch {
  return {
    ...match,
    ...(headers.length > 0 ? { headers } : {}),
    ...(queryParams.length > 0 ? { queryParams } : {}),
  };
}

function hasContent(value: unknown): boolean {
  return value !== undefined && value !== '' && !(typeof value === 'object' && value !== null && Object.keys(value).length === 0);
}
