import type { Agent as HttpAgent } from 'node:http';
import type { Agent as HttpsAgent } from 'node:https';

/** How one outgoing request leaves this process. */
export interface OutgoingConnection {
  /** Connects to allowed addresses alone, directly or through a proxy, and keeps no connection; absent: to any. */
  agent?: { http: HttpAgent; https: HttpsAgent };
  /** A proxy that a resource names reads what is sent over it. */
  isOverheard?: boolean;
  /** The answer may not be shown or used, by the addresses that were connected to: it would reveal services that only Serin can reach (05-W37). */
  conceals?(): boolean;
  /** Resolves when one more answer may become large (I15); calling the result admits the next one. Rejects with the reason of the signal. */
  growAnswer?(signal: AbortSignal): Promise<() => void>;
  /** Closes what was opened for the call. */
  end(): void;
}

/** How to reach an address; or why it may not be called, in words for the user. `proxy`: the one to take, whatever the environment says. */
export type EgressPolicy = (url: URL, proxy?: string) => OutgoingConnection | { problem: string };

/** A connection that the egress policy refused; its message is for users and holds no credentials. */
export class NotAllowedError extends Error {}

/** Why a request with credentials does not go to an http address through the proxy that a resource names, which could read them. */
const OVERHEARD = 'proxy would see its credentials and headers: use an https address, or leave proxy out';

/** The connection for one request, if it may carry these secrets; those of the URL count, too. */
export function connectionFor(
  url: URL,
  { egress, proxy, secrets }: { egress: EgressPolicy; proxy?: string | undefined; secrets: readonly (string | undefined)[] },
): OutgoingConnection | { problem: string } {
  const connection = egress(url, proxy);
  if ('problem' in connection || !connection.isOverheard || !carriesCredentials(url, secrets)) return connection;
  connection.end();
  return { problem: OVERHEARD };
}

/** Whether a request has something that another server may not get. */
export const carriesCredentials = ({ username, password }: URL, secrets: readonly (string | undefined)[]): boolean =>
  [...secrets, username, password].some(Boolean);
