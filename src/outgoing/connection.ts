import type { Agent as HttpAgent } from 'node:http';
import type { Agent as HttpsAgent } from 'node:https';

/** Connection of one outgoing request. */
export interface OutgoingConnection {
  /** Connect only to allowed addresses, directly or through a proxy, and keep no connection. `undefined` connects to any address. */
  agent?: { http: HttpAgent; https: HttpsAgent };
  /** A proxy that a resource names reads what is sent over it. */
  isOverheard?: boolean;
  /** True if the answer must not be shown or used, because of an address connected to: it would reveal services that only Serin can reach. */
  conceals?(): boolean;
  /** Resolves when one more answer is allowed to become large (I15). A call of the result admits the next one. Rejects with the reason of the signal. */
  growAnswer?(signal: AbortSignal): Promise<() => void>;
  /** Closes what was opened for the call. */
  end(): void;
}

/** Connection to an address, or the reason why it must not be called, in words for the user. `proxy` wins over the environment. */
export type EgressPolicy = (url: URL, proxy?: string) => OutgoingConnection | { problem: string };

/** A connection that the egress policy refused; its message is for users and holds no credentials. */
export class NotAllowedError extends Error {}

/** Reason not to send credentials to an http address through a proxy that a resource names: the proxy could read them. */
const OVERHEARD = 'proxy would see its credentials and headers: use an https address, or leave proxy out';

/** The connection for one request, if it is permitted to carry these secrets and those of the URL. */
export function connectionFor(
  url: URL,
  { egress, proxy, secrets }: { egress: EgressPolicy; proxy?: string | undefined; secrets: readonly (string | undefined)[] },
): OutgoingConnection | { problem: string } {
  const connection = egress(url, proxy);
  if ('problem' in connection || !connection.isOverheard || !carriesCredentials(url, secrets)) return connection;
  connection.end();
  return { problem: OVERHEARD };
}

/** True if a request has credentials, which another server must not get. */
export const carriesCredentials = ({ username, password }: URL, secrets: readonly (string | undefined)[]): boolean =>
  [...secrets, username, password].some(Boolean);
