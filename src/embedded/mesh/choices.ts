import { asPod } from '../../api/kinds/pod.ts';
import { type ConnectionEnd, endOf } from '../network-policy/connection.ts';
import { hashedTo } from './destination-policy.ts';
import { type Endpoint, endpointsOf } from './endpoints.ts';
import type { LaggedView } from './lagged-view.ts';
import type { ProxyState } from './proxy-context.ts';
import type { Destination, MeshRequest } from './request.ts';
import { type DirectResponse, PLAIN_ROUTE, type ResolvedRoute } from './resolved-route.ts';
import { type RouteChoice, refuseWith } from './resolver.ts';
import { resolvers } from './resolvers.ts';
import { type Client, serviceEndpoints } from './service-proxy.ts';
import type { UpstreamAnswer, UpstreamFailure } from './upstream.ts';

/** Requests that match no object of a provider go to the plain Service. */
export function resolveRoute(view: LaggedView, request: MeshRequest): RouteChoice {
  for (const { resolve } of resolvers) {
    const choice = resolve(view, request);
    if (choice) return choice;
  }
  const { service, port } = request.host;
  if (request.gateway !== 'mesh') return refuseWith({ status: 404, reason: `the gateway has no route for ${request.host.text}` });
  if (!service) return refuseWith({ status: 404, reason: `nothing serves ${request.host.text}` });
  const route: ResolvedRoute = { ...PLAIN_ROUTE, via: 'Service', destination: port === undefined ? service : { ...service, port } };
  return () => route;
}

/** An endpoint of a destination as its route chooses it, or the reason for none. */
export function chooseEndpoint(
  { view, affinity, destinations, place, random }: ProxyState,
  destination: Destination,
  { via, policyOf }: ResolvedRoute,
  client: Client,
  tried: ReadonlySet<string>,
): Endpoint | DirectResponse {
  const endpoints = via === 'Service' ? serviceEndpoints(view, destination, place(), client, affinity) : endpointsOf(view, destination);
  if (!endpoints) return { status: 503, reason: `no Service ${destination.namespace}/${destination.name}` };
  const policy = policyOf?.(destination);
  const healthy = policy ? destinations.healthy(keyOf(destination), endpoints, policy) : endpoints;
  const chosen = policy?.hashed === undefined ? pick(healthy, tried, random) : hashedTo(healthy, policy.hashed);
  return chosen ?? { status: 503, reason: `no healthy upstream in ${destination.namespace}/${destination.name}` };
}

const keyOf = ({ namespace, name }: Destination): string => `${namespace}/${name}`;

/** The failure of a connection that network policies refuse, `undefined` if they do not. */
export function refusedConnection(
  { policies, podOf }: ProxyState,
  { address, end = { address } }: Client,
  { namespace, pod: name, ip, targetPort }: Endpoint,
): UpstreamFailure | undefined {
  const to = (): ConnectionEnd => {
    const pod = podOf(namespace, name);
    return pod ? endOf(asPod(pod)) : { address: ip };
  };
  const why = policies?.refusal(end, to, targetPort);
  return why === undefined ? undefined : { failure: 'connect-failure', why };
}

/** Remembers how a try at a pod ended, for the policy of its destination. */
export function noteTry(
  { view, destinations }: ProxyState,
  destination: Destination,
  endpoint: Endpoint,
  outcome: Pick<UpstreamAnswer, 'status'> | UpstreamFailure,
  { policyOf }: ResolvedRoute,
): void {
  const policy = policyOf?.(destination);
  if (!policy) return;
  const isFailure = 'failure' in outcome || outcome.status >= 500;
  destinations.note(keyOf(destination), endpoint, isFailure, policy, endpointsOf(view, destination) ?? []);
}

/** A random endpoint, preferably an untried one. */
function pick(endpoints: readonly Endpoint[], tried: ReadonlySet<string>, random: () => number): Endpoint | undefined {
  const untried = tried.size === 0 ? endpoints : endpoints.filter(({ ip }) => !tried.has(ip));
  const choice = untried.length > 0 ? untried : endpoints;
  return choice[Math.floor(random() * choice.length)];
}

/** `on`: words of Envoy's `retry_on`, or status codes. Source: Envoy, router filter, x-envoy-retry-on. */
export function isRetried(outcome: Pick<UpstreamAnswer, 'status'> | UpstreamFailure, on: readonly string[]): boolean {
  if ('failure' in outcome) {
    const { failure } = outcome;
    if (on.includes('5xx') || on.includes('gateway-error')) return true;
    if (failure === 'connect-failure' && on.includes('connect-failure')) return true;
    return failure !== 'timeout' && on.includes('reset');
  }
  const { status } = outcome;
  if (on.includes(String(status))) return true;
  return (status >= 500 && on.includes('5xx')) || (status >= 502 && status <= 504 && on.includes('gateway-error'));
}

/** The proxy's own answer where none came. */
export const failureAt = ({ pod }: Endpoint, { failure, why }: UpstreamFailure): DirectResponse => ({
  status: failure === 'timeout' ? 504 : 503,
  reason: `${failure} at ${pod}${why === undefined ? '' : `: ${why}`}`,
});
