import { lookup as lookUp } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { specialAddress } from '../base/special-addresses.ts';

/** Addresses to which requests are allowed. A name is judged by its address when the connection is made. */
export interface TargetPolicy {
  /** Reason for which this host is refused, if it is an address. */
  refuses(hostname: string): string | undefined;
  lookup: LookupFunction;
}

/** Refuses addresses of the node, of clouds' metadata services, and of everything that only this pod can reach (a proxy's administration, our own gates). */
export function targetPolicy({ allowLocal }: { allowLocal: boolean }): TargetPolicy {
  const isBlocked = (address: string) => {
    const kind = specialAddress(address);
    return kind !== undefined && !(allowLocal && kind === 'loopback');
  };
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
