import type { Canary } from '../../api/canary.ts';
import { names } from '../../api/names.ts';
import type { CanaryService } from '../../api/service-spec.ts';
import { RoutingError } from '../routing-error.ts';
import { checkHeaderName } from './conditions.ts';
import { corsFilter, type Filter } from './cors.ts';
import type { GatewayApiVersion, RouteKind } from './route-kind.ts';

export interface HeaderList {
  set?: { name: string; value: string }[];
  add?: { name: string; value: string }[];
  remove?: string[];
}
type HeaderChange = NonNullable<NonNullable<CanaryService['headers']>['request']>;

const MOST = 16;
const LONGEST_VALUE = 4096;
const LONGEST_PATH = 1024;
/** A DNS subdomain (RFC 1123) in lower case, without a wildcard. */
export const HOSTNAME = /^(?=.{1,253}$)[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;

/** Filters of every rule, in Flagger's order. `response`: a header that is added besides the user's. */
export function commonFilters(
  canary: Canary,
  { version, kind }: { version: GatewayApiVersion; kind: RouteKind },
  response?: { name: string; value: string },
): Filter[] {
  const { headers, rewrite, corsPolicy } = canary.spec.service;
  if (kind === 'GRPCRoute' && (rewrite?.uri || rewrite?.authority))
    throw RoutingError.at('service.rewrite', 'cannot be said in a GRPCRoute: remove it');
  if (kind === 'GRPCRoute' && corsPolicy) throw RoutingError.at('service.corsPolicy', 'cannot be said in a GRPCRoute: remove it');
  const request = headerList(headers?.request, 'service.headers.request');
  const answer = headerList(headers?.response, 'service.headers.response');
  // A rule can have only one modifier, so the cookie goes into the user's.
  const answered = response ? { ...answer, add: [...(answer?.add ?? []), response] } : answer;
  const rewritten = rewriteFilter(rewrite);
  const filters: Filter[] = [
    ...(request ? [{ type: 'RequestHeaderModifier', requestHeaderModifier: request }] : []),
    ...(answered ? [responseModifier(answered)] : []),
    ...(rewritten ? [rewritten] : []),
    ...serviceMirrors(canary),
    // The field is younger than v1beta1: an API server that does not know it would refuse the whole route.
    ...(corsPolicy && version === 'v1' ? [corsFilter(corsPolicy)] : []),
  ];
  // A mirror of the analysis comes on top.
  if (filters.length >= MOST) throw RoutingError.at('service.mirror', `has too many entries: a rule takes ${MOST} filters in all`);
  return filters;
}

export function responseModifier(responseHeaderModifier: HeaderList): Filter {
  return { type: 'ResponseHeaderModifier', responseHeaderModifier };
}

/** Without `percent` every request is copied. */
export function mirrorFilter(backendRef: object, percent?: number): Filter {
  return { type: 'RequestMirror', requestMirror: { backendRef, ...(percent === undefined ? {} : { percent }) } };
}

function headerList(change: HeaderChange | undefined, field: string): HeaderList | undefined {
  const list = (values: Record<string, string> | undefined, verb: string) =>
    Object.entries(values ?? {})
      .map(([name, value]) => {
        checkHeaderName(name, `${field}.${verb}`);
        if (value.length === 0 || value.length > LONGEST_VALUE)
          throw RoutingError.at(`${field}.${verb}[${name}]`, `has ${value.length} characters: Gateway API takes 1 to ${LONGEST_VALUE}`);
        return { name, value };
      })
      .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const [set, add, remove] = [list(change?.set, 'set'), list(change?.add, 'add'), [...new Set(change?.remove)]];
  // One more fits: the cookie of a release.
  if (set.length > MOST || add.length >= MOST || remove.length > MOST)
    throw RoutingError.at(field, 'changes more headers than a route takes');
  if (set.length + add.length + remove.length === 0) return undefined;
  return {
    ...(set.length > 0 ? { set } : {}),
    ...(add.length > 0 ? { add } : {}),
    ...(remove.length > 0 ? { remove } : {}),
  };
}

/** `rewrite.type` other than ReplacePrefixMatch replaces the whole path; a rewrite without content changes nothing. */
function rewriteFilter(rewrite: CanaryService['rewrite']): Filter | undefined {
  const { uri, authority, type } = rewrite ?? {};
  if (!uri && !authority) return undefined;
  if (authority && !HOSTNAME.test(authority))
    throw RoutingError.at('service.rewrite.authority', `is ${JSON.stringify(authority)}: Gateway API takes a host name without a port`);
  if (uri && uri.length > LONGEST_PATH) throw RoutingError.at('service.rewrite.uri', `has more than ${LONGEST_PATH} characters`);
  const path = type === 'ReplacePrefixMatch' ? { type, replacePrefixMatch: uri } : { type: 'ReplaceFullPath', replaceFullPath: uri };
  return { type: 'URLRewrite', urlRewrite: { ...(authority ? { hostname: authority } : {}), ...(uri ? { path } : {}) } };
}

/** Always on, in each state of a release. */
function serviceMirrors(canary: Canary): Filter[] {
  const { canaryService } = names(canary);
  const { namespace: own } = canary.metadata;
  return (canary.spec.service.mirror ?? []).flatMap(({ backendRef }, index) => {
    if (!backendRef) return [];
    const { group = '', kind = 'Service', name, namespace, port } = backendRef;
    if (group === '' && kind === 'Service' && name === canaryService && (namespace ?? own) === own)
      throw RoutingError.at(`service.mirror[${index}]`, `names ${canaryService}, which would get every request: use analysis.mirror`);
    if (group === '' && kind === 'Service' && port === undefined)
      throw RoutingError.at(`service.mirror[${index}].backendRef.port`, 'is missing: a Service needs one');
    return [
      mirrorFilter({ group, kind, name, ...(namespace === undefined ? {} : { namespace }), ...(port === undefined ? {} : { port }) }),
    ];
  });
}
