import { matchesText } from './http-match.ts';
import { headerOf, type MeshRequest, queryAsWritten, requestPath } from './request.ts';

interface MatchCondition {
  type?: string;
  name: string;
  value: string;
}
interface MatchedGrpcMethod {
  type?: string;
  service?: string;
  method?: string;
}
/** One alternative of a rule of an HTTPRoute or GRPCRoute. */
export interface GatewayMatch {
  path?: { type?: string; value?: string };
  method?: string | MatchedGrpcMethod;
  headers?: MatchCondition[];
  queryParams?: MatchCondition[];
}

/**
 * Rank of a match that holds, `undefined` if it does not; the higher at the first number that differs wins: kind and length of the path, method, headers, query
 * parameters. Source: HTTPRouteRule.matches and GRPCRouteRule.matches. An expression ranks between an exact path and a prefix, which the specification leaves
 * open.
 */
export function specificity(match: GatewayMatch, request: MeshRequest): number[] | undefined {
  const path = requestPath(request.url);
  const { headers = [], queryParams = [] } = match;
  const holds = (text: string | undefined, { type, value }: MatchCondition): boolean =>
    text !== undefined && matchesText(type === 'RegularExpression' ? { regex: value } : { exact: value }, text);
  // Only the first of several conditions on one header counts.
  const first = headers.filter(({ name }, index) => headers.findIndex((one) => one.name.toLowerCase() === name.toLowerCase()) === index);
  if (!first.every((one) => holds(headerOf(request, one.name), one))) return undefined;
  if (!queryParams.every((one) => holds(queryAsWritten(request, one.name), one))) return undefined;
  const counts = [first.length, queryParams.length];
  if (typeof match.method === 'object') {
    const call = grpcSpecificity(match.method, path);
    return call && [...call, ...counts];
  }
  if (match.method !== undefined && match.method !== request.method) return undefined;
  const { type = 'PathPrefix', value = '/' } = match.path ?? {};
  const rank = pathRank(type, value, path);
  return rank && [...rank, match.method === undefined ? 0 : 1, ...counts];
}

function pathRank(type: string, value: string, path: string): [number, number] | undefined {
  switch (type) {
    case 'Exact':
      return path === value ? [2, value.length] : undefined;
    case 'RegularExpression':
      return matchesText({ regex: value }, path) ? [1, value.length] : undefined;
    default:
      return isUnder(path, value) ? [0, value.length] : undefined;
  }
}

/** Element by element, whether or not the prefix ends in a slash: `/a` is for `/a` and `/a/b`, and not for `/ab`. */
function isUnder(path: string, prefix: string): boolean {
  const base = prefix.replace(/\/$/, '');
  return path === base || path.startsWith(`${base}/`);
}

function grpcSpecificity({ type, service, method }: MatchedGrpcMethod, path: string): number[] | undefined {
  const [, calledService = '', calledMethod = ''] = path.split('/');
  const holds = (text: string | undefined, called: string): boolean =>
    text === undefined || matchesText(type === 'RegularExpression' ? { regex: text } : { exact: text }, called);
  return holds(service, calledService) && holds(method, calledMethod) ? [service?.length ?? 0, method?.length ?? 0, 0] : undefined;
}

/** The path with a matched prefix replaced. Source: the table of HTTPPathModifier.replacePrefixMatch. */
export function withPrefixReplaced(path: string, prefix: string, replacement: string): string {
  const rest = path.slice(prefix.replace(/\/$/, '').length);
  return `${replacement.replace(/\/$/, '')}${rest}` || '/';
}
