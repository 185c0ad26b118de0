import { lookup as dnsLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { type EgressPolicy, NotAllowedError, type OutgoingConnection, openEgress } from '../../api/outgoing.ts';
import { addressList, embeddedIn, specialAddress } from '../../api/special-addresses.ts';
import { proxyFromEnv } from '../../kube/proxy-from-env.ts';
import { proxyUrl } from '../../notifiers/proxy.ts';
import { directAgents, hostOf, proxiedAgents } from './egress-agents.ts';

interface OutgoingSettings {
  /** The variables that name proxies. */
  proxyEnvironment: Readonly<Record<string, string>>;
  /** Addresses and networks (`10.0.0.0/8`); none: all. */
  allowedAddresses: readonly string[];
  /** Hosts of API servers. */
  apiServers: readonly string[];
  /** Make the connections of direct calls, where those are not made by TCP. */
  agents?: OutgoingConnection['agent'] | undefined;
}

const NOT_ALLOWED = 'its address is not among --allowed-addresses';
const PROXY_NOT_ALLOWED = 'the address of its proxy is not among --allowed-addresses: correct proxy, or have the address allowed';
const PROXY_NOT_ASKED =
  'its proxy is at a loopback, link-local or metadata address or the API server, which is asked only where --allowed-addresses names it';
/** Names that stand for such addresses at the proxy as well, also where this pod cannot resolve them. */
const LOCAL_NAMES = /(?:^|\.)localhost\.?$|^metadata(?:\.google\.internal)?\.?$/i;

/**
 * The egress policy for calls that users of the cluster ask for: through the proxies of the environment (or the one that a resource names), and to the
 * allowed addresses alone. A name is resolved once for each connection, which goes to an address that was judged; through a proxy the proxy is
 * judged so, and of the target only an address that is written out (05-W18, W37). `lookup` resolves the names of all calls of the policy.
 */
export function egressPolicy({
  proxyEnvironment,
  allowedAddresses,
  apiServers,
  agents: base,
}: OutgoingSettings): (lookup: LookupFunction) => EgressPolicy {
  const isNamed = addressList(allowedAddresses);
  const isBounded = allowedAddresses.length > 0;
  const isApiServer = addressList(apiServers.filter((host) => isIP(host) !== 0));
  const isInward = (address: string) => specialAddress(address) !== undefined || [address, ...embeddedIn(address)].some(isApiServer);
  // The operator who names an address wants it to be asked, and its answers to be used.
  const isConcealed = (address: string) => !isNamed(address) && isInward(address);
  const targetProblem: Judge = (address) => (isBounded && !isNamed(address) ? NOT_ALLOWED : undefined);
  const proxyProblem: Judge = (address) => {
    if (isBounded && !isNamed(address)) return PROXY_NOT_ALLOWED;
    return isConcealed(address) ? PROXY_NOT_ASKED : undefined;
  };
  const resolvesInward = (lookup: LookupFunction, name: string, found: () => void) =>
    lookup(name, { all: true }, (error, addresses) => {
      if (!error && Array.isArray(addresses) && addresses.some(({ address }) => isConcealed(address))) found();
    });
  return (lookup) => (url, proxy) => {
    const problem = ofHost(targetProblem)(hostOf(url));
    if (problem !== undefined) return { problem };
    let isAnyConcealed: boolean | undefined;
    const note = (conceals: boolean) => {
      isAnyConcealed = isAnyConcealed || conceals;
    };
    const conceals = () => isAnyConcealed ?? true;
    const hop = proxy ?? proxyFromEnv(url.href, proxyEnvironment);
    if (hop === undefined) {
      const agents = directAgents({
        problemOf: ofHost(targetProblem),
        lookup: lookupWithin(lookup, targetProblem),
        base,
        reached: (address) => note(address === undefined || isConcealed(address)),
      });
      return { ...agents, conceals };
    }
    const hopUrl = proxyUrl(hop);
    if (!hopUrl) return { problem: 'its proxy must be an http or https address' };
    const ofTenant = proxy === undefined ? undefined : ofHost(proxyProblem)(hostOf(hopUrl));
    if (ofTenant !== undefined) return { problem: ofTenant };
    const agents = proxiedAgents(hopUrl, {
      problemOf: ofHost(targetProblem),
      lookup: proxy === undefined ? lookup : lookupWithin(lookup, proxyProblem),
      reached(host = '') {
        note(isIP(host) === 0 ? LOCAL_NAMES.test(host) : isConcealed(host));
        if (isIP(host) === 0) resolvesInward(lookup, host, () => note(true));
      },
    });
    return agents ? { ...agents, conceals } : { problem: 'a proxy needs Node 22.21, 24.5 or later' };
  };
}

/** The policy for addresses that stand in flags: the operator chose them, so they are neither bounded nor concealed. */
export function ownOutgoing(settings: OutgoingSettings): EgressPolicy {
  const egress = egressPolicy({ ...settings, allowedAddresses: [] })(dnsLookup);
  return (url) => {
    if (proxyFromEnv(url.href, settings.proxyEnvironment) === undefined) {
      return settings.agents ? { agent: settings.agents, end: () => undefined } : openEgress(url);
    }
    const connection = egress(url);
    if ('problem' in connection) return connection;
    const { conceals: _, ...open } = connection;
    return open;
  };
}

/** What is wrong with an entry of the list; undefined: nothing. */
export function allowedAddressProblem(entry: string): string | undefined {
  const [address = '', bits, ...more] = entry.split('/');
  const family = isIP(address);
  const most = family === 4 ? 32 : 128;
  if (family === 0 || more.length > 0 || (bits !== undefined && !(/^\d{1,3}$/.test(bits) && Number(bits) <= most)))
    return `${entry} is neither an address nor a network: write it like 10.0.0.0/8`;
  return undefined;
}

/** Why an address may not be called. */
type Judge = (address: string) => string | undefined;

const ofHost =
  (judge: Judge): Judge =>
  (host) =>
    isIP(host) === 0 ? undefined : judge(host);

function lookupWithin(lookup: LookupFunction, judge: Judge): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, '');
      const all = Array.isArray(found) ? found : [{ address: found, family: isIP(found) }];
      const addresses = all.filter(({ address }) => judge(address) === undefined);
      const [first] = addresses;
      if (!first) return callback(new NotAllowedError(judge(all[0]?.address ?? '') ?? NOT_ALLOWED), '');
      return options.all ? callback(null, addresses) : callback(null, first.address, first.family);
    });
  };
}
