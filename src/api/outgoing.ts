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

/** Straight, to whatever the address says. */
export const straightWay: FindWay = () => ({ end: () => undefined });
