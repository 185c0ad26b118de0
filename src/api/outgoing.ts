import type { Agent as HttpAgent } from 'node:http';
import type { Agent as HttpsAgent } from 'node:https';
import type { LookupFunction } from 'node:net';

/** How one call leaves this process. */
export interface Way {
  /** Through a proxy; absent: directly. */
  agent?: { http: HttpAgent; https: HttpsAgent };
  /** Gives the allowed addresses of a name alone. */
  dnsLookup?: LookupFunction;
  /** Of an answer from this address nothing may be shown: it would tell what is reachable from here alone (05 W37). */
  conceals?(remoteAddress: string | undefined): boolean;
  /** Closes what was opened for the call. */
  end(): void;
}

/** The way to an address; or why it may not be called, in words for the user. `proxy`: the only way there is. */
export type FindWay = (url: URL, proxy?: string) => Way | { problem: string };

/** Stands for an answer that is concealed, so that whoever reads the event knows why it says nothing. */
export const CONCEALED = 'what it says is not shown, since --allowed-addresses does not name its address';

/** Straight, to whatever the address says. */
export const straightWay: FindWay = () => ({ end: () => undefined });
