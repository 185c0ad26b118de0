import { lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import type { FindWay, Way } from '../api/outgoing.ts';
import { proxyFromEnv } from '../kube/proxy-from-env.ts';
import { agentsFor } from '../notifiers/proxy.ts';

interface Settings {
  /** The variables that name proxies. */
  proxyEnvironment: Readonly<Record<string, string>>;
  /** Addresses and networks (`10.0.0.0/8`); none: all. */
  allowedAddresses: readonly string[];
  /** Hosts of API servers. */
  apiServers: readonly string[];
  /** For direct calls, where they are not made by TCP. */
  agents?: Way['agent'] | undefined;
}

const NOT_ALLOWED = 'its address is not among --allowed-addresses';

/**
 * How calls leave that users of the cluster ask for: through the proxies of the environment (or the one that is given), and to the allowed
 * addresses alone. A name is looked up for each call, so that nothing changes between the look and the call; through a proxy only an address
 * that is written out can be judged (05 W18, W37).
 */
export function outgoing({ proxyEnvironment, allowedAddresses, apiServers, agents }: Settings): FindWay {
  const allowed = allowedAddresses.length > 0 ? networksOf(allowedAddresses) : undefined;
  const isAllowed = (address: string) => allowed === undefined || isIn(allowed, address);
  const dnsLookup = allowed && lookupWithin(isAllowed);
  // What the operator has named is meant to be asked, and to be heard.
  const isNamed = (address: string) => allowed !== undefined && isIn(allowed, address);
  const conceals = (address: string | undefined) =>
    address === undefined || (!isNamed(address) && (isIn(inward, address) || apiServers.includes(plain(address))));
  return (url, proxy) => {
    const host = url.hostname.replace(/^\[|\]$/g, '');
    if (isIP(host) !== 0 && !isAllowed(host)) return { problem: NOT_ALLOWED };
    const by = proxy ?? proxyFromEnv(url.href, proxyEnvironment);
    if (by === undefined) return { ...(agents && { agent: agents }), ...(dnsLookup && { dnsLookup }), conceals, end: () => undefined };
    const agent = agentsFor(by, {});
    if (agent === undefined) return { problem: 'a proxy needs Node 22.21, 24.5 or later' };
    const end = () => {
      agent.http.destroy();
      agent.https.destroy();
    };
    // Whose answer it is cannot be told by the connection.
    return { agent, conceals: () => isIP(host) !== 0 && conceals(host), end };
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

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 4 ? 'ipv4' : 'ipv6');
/** An IPv4 address in the words of IPv6 is the same one. */
const plain = (address: string): string => address.replace(/^::ffff:(?=\d{1,3}\.)/i, '');
const isIn = (networks: BlockList, address: string): boolean => networks.check(plain(address), familyOf(plain(address)));

function networksOf(entries: readonly string[]): BlockList {
  const networks = new BlockList();
  for (const entry of entries) {
    const [address = '', bits] = entry.split('/');
    if (bits === undefined) networks.addAddress(address, familyOf(address));
    else networks.addSubnet(address, Number(bits), familyOf(address));
  }
  return networks;
}

/** Loopback and link-local: what answers there answers this machine alone. */
const inward = networksOf(['127.0.0.0/8', '169.254.0.0/16', '::1', 'fe80::/10', '0.0.0.0/8', '::']);

function lookupWithin(isAllowed: (address: string) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, '');
      const addresses = found.filter(({ address }) => isAllowed(address));
      const [first] = addresses;
      if (!first) return callback(Object.assign(new Error(NOT_ALLOWED), { code: 'ENOTALLOWED' }), '');
      return options.all ? callback(null, addresses) : callback(null, first.address, first.family);
    });
  };
}
