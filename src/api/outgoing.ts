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
  /** Resolves when one more answer may become large (I15); the result makes room for the next. Rejects with the reason of the signal. */
  growAnswer?(signal: AbortSignal): Promise<() => void>;
  /** Closes what was opened for the call. */
  end(): void;
}

/** The way to an address; or why it may not be called, in words for the user. `proxy`: the only way there is. */
export type FindWay = (url: URL, proxy?: string) => Way | { problem: string };

/** Stands for an answer that is concealed, so that whoever reads the event knows why it says nothing. */
export const CONCEALED = 'what it says is not shown, since --allowed-addresses does not name its address';

/** Straight, to whatever the address says. */
export const straightWay: FindWay = () => ({ end: () => undefined });

/** When the calls that one namespace causes may begin, beside those of the others (I15). */
export interface Turns {
  /** Does the work when it is its turn. Rejects with `NoTurnError`, or with the reason of the signal. */
  run<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T>;
}

export const atOnce: Turns = { run: (work) => work() };

export class NoTurnError extends Error {
  override readonly name = 'NoTurnError';

  /** `underWay`: of the same namespace. */
  constructor(underWay: number, why: string) {
    super(`this namespace has ${underWay} calls under way, and ${why}: give it fewer, or have them answered sooner`);
  }
}
