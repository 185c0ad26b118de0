import { BlockList, isIP } from 'node:net';

/** Addresses that reach only this pod or this node, or that give a machine its credentials. */
export type SpecialAddress = 'linkLocal' | 'metadata' | 'loopback';

/**
 * Sources: RFC 6890 (special-purpose registries); the metadata services of AWS (EC2, ECS and EKS Pod Identity), Google Cloud and GKE, Alibaba Cloud, Azure (its
 * host agent), Oracle Cloud, Scaleway, Tencent Cloud, Akamai and OpenStack (IPv6), as their documentation names them. The first kind that fits counts.
 */
const NETWORKS: Readonly<Record<SpecialAddress, readonly string[]>> = {
  metadata: [
    ...['169.254.169.254', '169.254.170.2', '169.254.170.23', '169.254.169.252', '169.254.42.42', '169.254.0.23'],
    ...['fd00:ec2::254', 'fd00:ec2::23', 'fd20:ce::254', 'fd00:c1::a9fe:a9fe', 'fd00:42::42', 'fd00:a9fe:a9fe::1', 'fe80::a9fe:a9fe'],
    ...['100.100.100.200', '168.63.129.16', '192.0.0.192'],
  ],
  linkLocal: ['169.254.0.0/16', 'fe80::/10'],
  loopback: ['127.0.0.0/8', '0.0.0.0/8', '::1', '::'],
};

/** Kind of a literal address, also if it is embedded in IPv6. Of several kinds, loopback is the last choice. `undefined` for an ordinary address. */
export function specialAddress(address: string): SpecialAddress | undefined {
  const all = [address, ...embeddedIn(address)];
  return special.find(({ isIn }) => all.some(isIn))?.kind;
}

/** True if an entry of a list names only loopback or link-local addresses. */
export function isLocalNetwork(entry: string): boolean {
  const [address = '', bits = '128'] = entry.split('/');
  return [...NETWORKS.linkLocal, ...NETWORKS.loopback].some((network) => {
    const [, most = '0'] = network.split('/');
    return networks([network])(address) && Number(bits) >= (network.includes('/') ? Number(most) : 128);
  });
}

/**
 * Returns a test for addresses of a list of addresses and networks. An IPv6 address that embeds an IPv4 address equals it. If the embedded address is
 * ambiguous, the list has to name all candidates.
 */
export function addressList(entries: readonly string[]): (address: string) => boolean {
  const isIn = networks(entries);
  return (address) => {
    const embedded = embeddedIn(address);
    return isIn(address) || (embedded.length > 0 && embedded.every(isIn));
  };
}

/**
 * The IPv4 addresses that an IPv6 address can lead to: mapped (RFC 4291), translated (RFC 2765), compatible (RFC 4291, deprecated), NAT64 (RFC 6052; RFC 8215
 * leaves the length of the prefix to the network) and 6to4 (RFC 3056).
 */
export function embeddedIn(address: string): string[] {
  const groups = groupsOf(address);
  if (!groups) return [];
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = groups;
  const last = dotted(g, h);
  if (a === 0x2002) return [dotted(b, c)];
  if (a === 0x64 && b === 0xff9b && c === 1) return localNat64(d, e, f, g, h);
  const isZero = (...parts: number[]) => parts.every((part) => part === 0);
  if (a === 0x64 && b === 0xff9b && isZero(c, d, e, f)) return [last];
  if (!isZero(a, b, c, d)) return [];
  const isMapped = e === 0 && f === 0xffff;
  const isTranslated = e === 0xffff && f === 0;
  const isCompatible = isZero(e, f) && !(g === 0 && h <= 1);
  return isMapped || isTranslated || isCompatible ? [last] : [];
}

/** Behind a prefix of 48, 56, 64 and 96 bits, where bits 64 to 71 are left out (RFC 6052, 2.2). 0.0.0.0/8 is behind no gateway: there the prefix is longer. */
function localNat64(d: number, e: number, f: number, g: number, h: number): string[] {
  const low = (group: number) => group & 0xff;
  const high = (group: number) => group >> 8;
  return [
    dotted(d, (low(e) << 8) | high(f)),
    dotted((low(d) << 8) | low(e), f),
    dotted((low(e) << 8) | high(f), (low(f) << 8) | high(g)),
    dotted(g, h),
  ].filter((address) => !address.startsWith('0.'));
}

const dotted = (high: number, low: number): string => [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.');

/** The eight groups of an IPv6 address in any form. The zone of a link-local address is ignored. */
function groupsOf(address: string): number[] | undefined {
  if (isIP(address) !== 6) return undefined;
  const host = URL.parse(`http://[${withoutZone(address)}]`)?.hostname.slice(1, -1);
  if (host === undefined) return undefined;
  const [head = [], tail] = host.split('::').map((part) => (part === '' ? [] : part.split(':')));
  const groups = tail ? [...head, ...Array<string>(8 - head.length - tail.length).fill('0'), ...tail] : head;
  return groups.map((group) => Number.parseInt(group, 16));
}

const withoutZone = (address: string): string => address.split('%', 1)[0] ?? '';
const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 4 ? 'ipv4' : 'ipv6');

function networks(entries: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const entry of entries) {
    const [address = '', bits] = entry.split('/');
    if (bits === undefined) list.addAddress(address, familyOf(address));
    else list.addSubnet(address, Number(bits), familyOf(address));
  }
  return (address) => isIP(address) !== 0 && list.check(withoutZone(address), familyOf(address));
}

const special = (Object.keys(NETWORKS) as SpecialAddress[]).map((kind) => ({ kind, isIn: networks(NETWORKS[kind]) }));
