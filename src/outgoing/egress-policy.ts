import { isIP, type LookupFunction } from 'node:net';
import { proxyFromEnv } from '../base/proxy-from-env.ts';
import { type AddressPolicy, type AddressSettings, addressPolicy } from './address-policy.ts';
import { type EgressPolicy, NotAllowedError, type OutgoingConnection } from './connection.ts';
import { directAgents, throughProxy, urlHost } from './egress-agents.ts';
import { proxyUrl } from './proxy.ts';

interface EgressSettings extends AddressSettings {
  /** The variables that name proxies. */
  proxyEnvironment: Readonly<Record<string, string>>;
  /** Make the connections of direct calls, where those are not made by TCP. */
  agents?: OutgoingConnection['agent'] | undefined;
}

/**
 * Egress policy for calls on behalf of users of the cluster: through the proxies of the environment (or the proxy that a resource names), and only to allowed
 * addresses. A name is resolved once for each connection, which goes to an address that was judged. With a proxy, its own address is judged so, and the target
 * only by its literal host. `lookup` resolves the names of all calls of the policy.
 */
export function egressPolicy({ proxyEnvironment, agents: base, ...settings }: EgressSettings): (lookup: LookupFunction) => EgressPolicy {
  const { problemOf, proxyProblemOf, isConcealed } = addressPolicy(settings);
  const resolvesInward = (lookup: LookupFunction, name: string, found: () => void) =>
    lookup(name, { all: true }, (error, addresses) => {
      if (!error && Array.isArray(addresses) && addresses.some(({ address }) => isConcealed(address))) found();
    });
  return (lookup) => (url, proxy) => {
    const problem = problemOf(urlHost(url));
    if (problem !== undefined) return { problem };
    let isAnyConcealed: boolean | undefined;
    const note = (conceals: boolean) => {
      isAnyConcealed = isAnyConcealed || conceals;
    };
    const conceals = () => isAnyConcealed ?? true;
    const hop = proxy ?? proxyFromEnv(url.href, proxyEnvironment);
    if (hop === undefined) {
      const reached = (address: string | undefined) => note(address === undefined || isConcealed(address));
      return { ...directAgents({ problemOf, lookup: lookupWithin(lookup, problemOf), base, reached }), conceals };
    }
    const hopUrl = proxyUrl(hop);
    const ofTenant = proxy === undefined || !hopUrl ? undefined : proxyProblemOf(urlHost(hopUrl));
    if (ofTenant !== undefined) return { problem: ofTenant };
    const agents = throughProxy(hop, {
      problemOf,
      lookup: proxy === undefined ? lookup : lookupWithin(lookup, proxyProblemOf),
      reached(host = '') {
        note(isConcealed(host));
        if (isIP(host) === 0) resolvesInward(lookup, host, () => note(true));
      },
    });
    return 'problem' in agents ? agents : { ...agents, conceals, isOverheard: proxy !== undefined && url.protocol === 'http:' };
  };
}

/** Resolves a name to its allowed addresses. If it has none, the error says why the first one is not allowed. */
function lookupWithin(lookup: LookupFunction, judge: AddressPolicy['problemOf']): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, '');
      const all = Array.isArray(found) ? found : [{ address: found, family: isIP(found) }];
      const addresses = all.filter(({ address }) => judge(address) === undefined);
      const [first] = addresses;
      if (!first) return callback(new NotAllowedError(judge(all[0]?.address ?? '') ?? 'its name has no address'), '');
      return options.all ? callback(null, addresses) : callback(null, first.address, first.family);
    });
  };
}
