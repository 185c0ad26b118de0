import { shorten } from '../base/field-path.ts';
import { covers, hostOf } from '../base/host-name.ts';
import { type AllowList, allowedIn } from './allow-list.ts';
import type { Canary, Provider } from './canary.ts';
import type { Problem } from './problem.ts';
import { claimOf, type RouteClaim } from './route-claim.ts';

/** Limits on the routes of Canaries; a list that is set also counts without the flag. */
export interface RouteLimits {
  noCrossNamespaceRefs: boolean;
  allowedHosts: AllowList;
  allowedGateways: AllowList;
}

/** The fields by which a Canary would take requests that are not for its namespace, hosts first. */
export function foreignRoutes(canary: Canary, provider: Provider, limits: RouteLimits): Problem[] {
  const claim = claimOf(canary, provider);
  if (!claim) return [];
  const { noCrossNamespaceRefs, allowedHosts, allowedGateways } = limits;
  const { namespace } = canary.metadata;
  return [
    ...(noCrossNamespaceRefs || allowedHosts.size > 0 ? foreignHosts(claim, namespace, allowedIn(allowedHosts, namespace)) : []),
    ...(noCrossNamespaceRefs || allowedGateways.size > 0 ? foreignGateways(claim, namespace, allowedIn(allowedGateways, namespace)) : []),
  ];
}

function foreignHosts(claim: RouteClaim, namespace: string, allowed: readonly string[]): Problem[] {
  // In the mesh `*` would take the requests for every Service, so there a host is allowed only by its name or its domain.
  const patterns = claim.isInMesh ? allowed.filter((pattern) => pattern !== '*') : allowed;
  return claim.hosts.flatMap(({ path, host: written }) => {
    const host = hostOf(written);
    if (host === undefined)
      return [{ path, message: `${shorten(written)} must be a host name without port or dot at its end, such as shop.example.com` }];
    if (isOwn(host, namespace, claim) || patterns.some((pattern) => covers(pattern, host))) return [];
    if (host === '*' && claim.isInMesh)
      return [{ path, message: 'the route would take every request in the mesh, which no --allowed-hosts permits: name hosts' }];
    const what =
      host === '*' ? 'the route would take every host of its gateways' : `host ${shorten(host)} is not of namespace ${namespace}`;
    return [{ path, message: `${what}: use a host of the namespace, or have it allowed by --allowed-hosts=${namespace}=${host}` }];
  });
}

/** The host is a Service of the namespace, or a wildcard for its Services. */
function isOwn(host: string, namespace: string, { isOnGateway, areNamesServices }: RouteClaim): boolean {
  const [name = '', ...domain] = host.split('.');
  if (domain.length === 0) return areNamesServices && name !== '*';
  // Outside the mesh, and for names below it, the name of a namespace can be a domain of the internet: `dev`, `app`.
  if (domain.length === 1) return domain[0] === namespace && name !== '*' && !isOnGateway;
  return [`${namespace}.svc`, `${namespace}.svc.cluster.local`, `${namespace}.svc.clusterset.local`].includes(domain.join('.'));
}

function foreignGateways({ gateways }: RouteClaim, namespace: string, allowed: readonly string[]): Problem[] {
  return gateways.flatMap(({ path, gateway, written }) => {
    if (gateway === undefined)
      return [{ path, message: `${shorten(written)} must name a Gateway of namespace ${namespace}, or one as in istio-system/public` }];
    if (gateway.startsWith(`${namespace}/`) || allowed.includes(gateway)) return [];
    const remedy = `name one of namespace ${namespace}, or have it allowed by --allowed-gateways=${namespace}=${gateway}`;
    return [{ path, message: `Gateway ${gateway} is in another namespace: ${remedy}` }];
  });
}
