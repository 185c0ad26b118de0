import { isIP } from 'node:net';
import { addressList, embeddedIn, isLocalNetwork, type SpecialAddress, specialAddress } from '../base/special-addresses.ts';

/** Addresses that are called on behalf of users who write Canaries, MetricTemplates and AlertProviders. */
export interface AddressSettings {
  /** Addresses and networks (`10.0.0.0/8`). An empty list allows all but local ones. */
  allowedAddresses: readonly string[];
  /** Loopback, link-local and own addresses that are allowed nevertheless. */
  allowedLocalAddresses: readonly string[];
  /** Addresses of Serin's own pod and node. */
  ownAddresses: readonly string[];
  /** Hosts of API servers. */
  apiServers: readonly string[];
}

/** Reason why a host must not be called, in words for the user, `undefined` if it is allowed. A name is judged without a look-up. */
type Judge = (host: string) => string | undefined;

export interface AddressPolicy {
  problemOf: Judge;
  /** The same of a proxy that a resource names. */
  proxyProblemOf: Judge;
  /** Its answers are neither shown nor used. */
  isConcealed(host: string): boolean;
}

const NOT_ALLOWED = 'its address is not among --allowed-addresses';
const PROXY_NOT_ALLOWED = 'the address of its proxy is not among --allowed-addresses: correct proxy, or have the address allowed';
const PROXY_IS_API_SERVER = 'its proxy is the API server, which is called only where --allowed-addresses names it';

const LOCAL_NAME = /(?:^|\.)localhost\.?$/i;
/** Source: the documentation of Google Cloud, AWS, Tencent Cloud and Azure. */
const METADATA_NAME =
  /^(?:metadata(?:\.google\.internal|\.goog|\.tencentyun\.com|\.azure\.internal)?|instance-data(?:\.ec2\.internal)?)\.?$/i;

const WORDS: Readonly<Record<Exclude<SpecialAddress, 'metadata'> | 'own', string>> = {
  loopback: 'a loopback address',
  linkLocal: 'a link-local address',
  own: "an address of Serin's own pod or node",
};

/** The policy for addresses that tenants write. */
export function addressPolicy({ allowedAddresses, allowedLocalAddresses, ownAddresses, apiServers }: AddressSettings): AddressPolicy {
  const isNamed = addressList(allowedAddresses);
  // An operator whose `allowedAddresses` list a network of only local addresses means these addresses.
  const isLocalNamed = addressList([...allowedLocalAddresses, ...allowedAddresses.filter(isLocalNetwork)]);
  const isBounded = allowedAddresses.length > 0;
  const isOwn = within(ownAddresses);
  const isApiServer = within(apiServers);
  const kindOf = (host: string) => (isIP(host) === 0 ? kindOfName(host) : (specialAddress(host) ?? (isOwn(host) ? 'own' : undefined)));
  const isAllowedHere = (host: string) => (isIP(host) === 0 ? ['127.0.0.1', '::1'].some(isLocalNamed) : isLocalNamed(host));

  /** `undefined` for an ordinary address, `allowed` for a local address that the operator lists. */
  const localProblem = (host: string): { problem: string } | 'allowed' | undefined => {
    const kind = kindOf(host);
    if (kind === undefined) return undefined;
    if (kind === 'metadata') return { problem: `${host} is a metadata service of a cloud, which is never called` };
    if (isAllowedHere(host)) return 'allowed';
    return { problem: `${host} is ${WORDS[kind]}, which is called only where --allowed-local-addresses lists it` };
  };
  const judged = (host: string, notAllowed: string): string | undefined => {
    const local = localProblem(host);
    if (local === 'allowed') return undefined;
    if (local !== undefined) return local.problem;
    return isBounded && isIP(host) !== 0 && !isNamed(host) ? notAllowed : undefined;
  };
  const isConcealed = (host: string) => {
    const kind = kindOf(host);
    if (kind === 'metadata') return true;
    return (kind !== undefined || isApiServer(host)) && !isNamed(host) && !isAllowedHere(host);
  };
  return {
    problemOf: (host) => judged(host, NOT_ALLOWED),
    proxyProblemOf(host) {
      const problem = judged(host, PROXY_NOT_ALLOWED);
      if (problem === undefined) return isConcealed(host) ? PROXY_IS_API_SERVER : undefined;
      return problem === PROXY_NOT_ALLOWED ? problem : `its proxy: ${problem}`;
    },
    isConcealed,
  };
}

/** Problem of an entry of an address list, `undefined` if it is valid. */
export function allowedAddressProblem(entry: string): string | undefined {
  const [address = '', bits, ...more] = entry.split('/');
  const family = isIP(address);
  const most = family === 4 ? 32 : 128;
  if (family === 0 || more.length > 0 || (bits !== undefined && !(/^\d{1,3}$/.test(bits) && Number(bits) <= most)))
    return `${entry} is neither an address nor a network: write it like 10.0.0.0/8`;
  return undefined;
}

function kindOfName(name: string): 'loopback' | 'metadata' | undefined {
  if (LOCAL_NAME.test(name)) return 'loopback';
  return METADATA_NAME.test(name) ? 'metadata' : undefined;
}

/** Compares with the addresses among these hosts, also within IPv6 ones. */
function within(hosts: readonly string[]): (address: string) => boolean {
  const isIn = addressList(hosts.filter((host) => isIP(host) !== 0));
  return (address) => [address, ...embeddedIn(address)].some(isIn);
}
