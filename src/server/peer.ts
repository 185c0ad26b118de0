import { isIPv6 } from 'node:net';

/** The peer that an address belongs to: a host has a whole /64 of IPv6 to itself. */
export function peerOf(address = ''): string {
  if (!isIPv6(address) || address.startsWith('::ffff:')) return address;
  const [head = '', tail = ''] = address.split('%')[0]?.split('::') ?? [];
  const groups = head.split(':').filter(Boolean);
  const rest = tail.split(':').filter(Boolean);
  return [...groups, ...Array<string>(Math.max(0, 8 - groups.length - rest.length)).fill('0'), ...rest].slice(0, 4).join(':');
}
