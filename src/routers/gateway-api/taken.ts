import { specOf } from '../../api/kinds/spec-of.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { isRecord, type JsonRecord, recordsIn, textsIn } from '../../base/json.ts';
import { type Alternative, isOlder, type MatchCondition, requestsOf, takenFrom } from '../split/alternative.ts';
import { hostGroups, sharedHost, type Taken, type WrittenRoute } from '../split/split-form.ts';
import type { GatewayCondition } from './conditions.ts';
import { normalised, type RouteMatch } from './match.ts';
import { parentsMeet, parentsOf, servesGateway } from './parents.ts';
import type { RouteKind } from './route-kind.ts';

/**
 * Of all rules for a host and a listener the most specific one takes a request, in any route.
 * Source: Gateway API, HTTPRouteRule, "Across all rules specified on applicable Routes, precedence must be given to the match having …", and
 * HTTPRouteSpec.hostnames: rules of the route with the longest host come first. A route of another kind, of the same host, is rejected, or comes first.
 */
export function takes({ now, found, before }: WrittenRoute, others: readonly KubeObject[]): Taken[] {
  const met = others.filter((other) => other.kind === now.kind && sharesListener(now, other));
  const own = { now: alternativesOf(now), before: before ? alternativesOf(before) : [] };
  const shared = met.flatMap((on) => {
    const stood = before && sharesListener(before, on) ? hostsOf(before) : undefined;
    return hostGroups(hostsOf(now), stood).flatMap(({ hosts, isNew }) => {
      const host = sharedHost(hosts, hostsOf(on));
      return host ? [{ ...host, on, isNew }] : [];
    });
  });
  return shared.flatMap(({ on, host, isSame, isNew }): Taken[] => {
    if (!isSame)
      return !isNew || shared.some((one) => one.isSame && one.host === host)
        ? []
        : [{ on, requests: `all requests for ${host} that no other route answers`, isByHost: true }];
    const taken = takenFrom(alternativesOf(on), { ...own, ...(isNew && { before: [] }), isOlder: isOlder(found, on) });
    return taken ? [{ on, requests: requestsOf(host, taken) }] : [];
  });
}

/** Clients inside a mesh call a Service, under any host. There a route of another namespace is only for its own clients. */
function sharesListener(one: KubeObject, other: KubeObject): boolean {
  const [home = '', theirs = ''] = [one.metadata.namespace, other.metadata.namespace];
  return parentsMeet(parentsOf(one), parentsOf(other), home, theirs) && (servesGateway(one) || home === theirs);
}

const hostsOf = (route: KubeObject): string[] => (servesGateway(route) ? textsIn(specOf<JsonRecord>(route).hostnames) : []);

const alternativesOf = (route: KubeObject): Alternative[] =>
  recordsIn(specOf<JsonRecord>(route).rules).flatMap(({ matches }) =>
    normalised(matches as RouteMatch[] | undefined, route.kind as RouteKind).map(alternativeOf),
  );

/** Manifests can contain anything. */
const textOr = (value: unknown, otherwise: string): string => (typeof value === 'string' ? value : otherwise);

const TYPES = { Exact: 'exact', PathPrefix: 'prefix', RegularExpression: 'regex' } as const;

function alternativeOf({ path, method, headers = [], queryParams = [] }: RouteMatch): Alternative {
  const conditions = {
    headers: headers.map((one) => conditionOf(one, textOr(one.name, '').toLowerCase())),
    queryParams: queryParams.map((one) => conditionOf(one, textOr(one.name, ''))),
  };
  if (isRecord(method)) return { path: pathOfCall(method), ...conditions };
  return { path: { type: TYPES[path?.type ?? 'PathPrefix'] ?? 'regex', value: textOr(path?.value, '/') }, method, ...conditions };
}

/** A call is a request for `/service/method`. Source: Gateway API, GRPCRouteRule: the longest service decides, then the longest method. */
function pathOfCall({ type = 'Exact', service, method }: JsonRecord): Alternative['path'] {
  if (type !== 'Exact' || typeof service !== 'string') return { type: 'regex', value: JSON.stringify([type, service, method]) };
  return typeof method === 'string' ? { type: 'exact', value: `/${service}/${method}` } : { type: 'prefix', value: `/${service}` };
}

const conditionOf = (said: GatewayCondition, name: string): MatchCondition => ({
  name,
  said,
  ...(said.type === 'Exact' && { exact: said.value }),
});
