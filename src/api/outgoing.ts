import type { Agent as HttpAgent } from 'node:http';
import type { Agent as HttpsAgent } from 'node:https';

/** How one outgoing request leaves this process. */
export interface OutgoingConnection {
  /** Connects to allowed addresses alone, directly or through a proxy, and keeps no connection; absent: to any. */
  agent?: { http: HttpAgent; https: HttpsAgent };
  /** The answer may not be shown or used, by the addresses that were connected to: it would reveal services that only Serin can reach (05-W37). */
  conceals?(): boolean;
  /** Resolves when one more answer may become large (I15); calling the result admits the next one. Rejects with the reason of the signal. */
  growAnswer?(signal: AbortSignal): Promise<() => void>;
  /** Closes what was opened for the call. */
  end(): void;
}

/** How to reach an address; or why it may not be called, in words for the user. `proxy`: named by a resource; the request takes no other route. */
export type EgressPolicy = (url: URL, proxy?: string) => OutgoingConnection | { problem: string };

/** Replaces the text of an answer that is concealed. */
export const CONCEALED = 'what it says is not shown, since --allowed-addresses does not name its address';

/** Why the value in a concealed answer is none. */
export const NOT_USED =
  'from a loopback, link-local or metadata address or the API server: its values count only where --allowed-addresses names the address';

/** Why a request with credentials does not go to an http address through the proxy that a resource names, which could read them. */
export const NOT_THROUGH_PROXY = 'proxy would see its credentials and headers: use an https address, or leave proxy out';

/** A connection that the egress policy refused; its message is for users and holds no credentials. */
export class NotAllowedError extends Error {}

/** The code of a request's error, where it is the cause that says more. */
export function codeOfError(error: Error): string | undefined {
  const { code } = error as NodeJS.ErrnoException;
  const { code: inner } = (error.cause ?? {}) as NodeJS.ErrnoException;
  return code === undefined || code === 'ERR_GOT_REQUEST_ERROR' || code === 'ERR_READING_RESPONSE_STREAM' ? (inner ?? code) : code;
}

/** Reads no further than `limitBytes`; the last piece comes whole. */
export async function readUpTo(stream: AsyncIterable<Uint8Array | string>, limitBytes: number): Promise<Buffer> {
  let body = Buffer.alloc(0);
  for await (const chunk of stream) {
    body = Buffer.concat([body, Buffer.from(chunk as Uint8Array)]);
    if (body.length >= limitBytes) break;
  }
  return body;
}

/** Throws before a redirect to another origin. */
export const onlyWithin =
  ({ origin }: URL, error: () => Error) =>
  (next: { url: unknown }): void => {
    if (next.url instanceof URL && next.url.origin !== origin) throw error();
  };

/** Any address, directly. */
export const openEgress: EgressPolicy = () => ({ end: () => undefined });

/** Decides when a call that one namespace causes may begin, beside those of the others (I15). */
export interface Turns {
  /** Does the work when it is its turn. Rejects with `NoTurnError`, or with the reason of the signal. */
  run<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T>;
}

/** No queue: every call begins at once. */
export const atOnce: Turns = { run: (work) => work() };

/** A namespace has too many calls waiting; the message is for users. */
export class NoTurnError extends Error {
  override readonly name = 'NoTurnError';

  /** `underWay`: of the same namespace. */
  constructor(underWay: number, why: string) {
    super(`this namespace has ${underWay} calls under way, and ${why}: give it fewer, or have them answered sooner`);
  }
}
