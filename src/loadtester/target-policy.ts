import { lookup as lookUp } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

/** Which addresses requests may go to. A name is judged by what it resolves to when the connection is made. */
export interface TargetPolicy {
  /** Why this host is refused, when it is an address. */
  refuses(hostname: string): string | undefined;
  lookup: LookupFunction;
}

/** Of the node, of clouds' metadata services, and of everything that only this pod can reach (a proxy's administration, our own gates). */
function blocked(allowLocal: boolean): BlockList {
  const list = new BlockList();
  list.addSubnet('169.254.0.0', 16, 'ipv4');
  list.addSubnet('fe80::', 10, 'ipv6');
  list.addAddress('fd00:ec2::254', 'ipv6');
  if (allowLocal) return list;
  list.addSubnet('127.0.0.0', 8, 'ipv4');
  list.addSubnet('0.0.0.0', 8, 'ipv4');
  list.addAddress('::1', 'ipv6');
  list.addAddress('::', 'ipv6');
  return list;
}

export function targetPolicy({ allowLocal }: { allowLocal: boolean }): TargetPolicy {
  const list = blocked(allowLocal);
  const isBlocked = (address: string) => list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
  const reason = (address: string) => `${address} is an address of this pod or node, which tests do not reach`;
  return {
    refuses(hostname) {
      const address = hostname.replace(/^\[(.*)\]$/, '$1');
      return isIP(address) && isBlocked(address) ? reason(address) : undefined;
    },
    lookup(hostname, options, callback) {
      lookUp(hostname, { ...options, all: true }, (error, addresses) => {
        if (error) return callback(error, []);
        const wrong = addresses.find(({ address }) => isBlocked(address));
        if (wrong) return callback(Object.assign(new Error(reason(wrong.address)), { code: 'ADDRESS_REFUSED' }), []);
        const [first] = addresses;
        if (options.all || first === undefined) callback(null, addresses);
        else callback(null, first.address, first.family);
      });
    },
  };
}
