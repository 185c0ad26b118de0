import type { AlertDetails } from '../api/canary-status.ts';

/** One alert, in no receiver's own format. */
export interface AlertMessage {
  /** Idempotency key of the delivery, stable over retries. */
  key: string;
  canary: { name: string; namespace: string };
  severity: 'info' | 'warn' | 'error';
  /** Event from the closed list. */
  reason: string;
  text: string;
  /** Title and value, in the order to show. */
  fields: readonly { name: string; value: string }[];
  /** The release as data; absent in alerts that an earlier version has listed. */
  details?: AlertDetails | undefined;
  /** Address of the Canary's page in the dashboard, if one is served. */
  page?: string | undefined;
  /** The same of a release that has ended. */
  releasePage?: string | undefined;
  /** Command that opens a closed gate. */
  approve?: string | undefined;
  /** The commit that the target named when the release began. */
  commit?: string | undefined;
  /** Name of the cluster, if it has one. */
  cluster?: string | undefined;
  /** The same for all alerts of one release, for receivers that have threads. */
  thread?: string | undefined;
  /** It reports nothing that has happened. */
  isTest?: boolean;
  /** Time of the event, epoch milliseconds. */
  atMs: number;
}

/** `mayRetry`: it could succeed without a change. `isFinal`: no attempt can succeed. `reason` holds no credentials. */
export type SendOutcome = { ok: true } | { ok: false; reason: string; mayRetry: boolean; retryAfterMs?: number; isFinal?: boolean };

/** An answer outside 2xx, as a receiver is read. */
export interface RefusedPost {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: string;
  message: AlertMessage;
}

/** Our words for such an answer. `mayRetry`: it could pass without a change; by the status when absent. */
export interface Refusal {
  words: string;
  mayRetry?: boolean;
}

/** A receiver of alerts. An expected failure is a value; only an aborted `signal` throws. */
export interface Notifier {
  send(message: AlertMessage, signal: AbortSignal): Promise<SendOutcome>;
}

/** Settings to reach a receiver. Addresses and tokens can end with a line end, as values of Secrets do. */
export interface ReceiverSettings {
  address: string;
  token?: string | undefined;
  signingKey?: string | undefined;
  channel: string;
  username: string;
  /** Replaces the environment's proxies. */
  proxy?: string | undefined;
  format?: 'messageCard' | 'adaptiveCard' | undefined;
}

/** Format of one kind of receiver. The transport is the same for all. */
export interface AlertFormat {
  body(message: AlertMessage, settings: ReceiverSettings): object;
  /** The address to post to; as given when absent. */
  url?(address: URL, message: AlertMessage): URL;
  /** Gets `Authorization: Bearer <token>`, or the token in `tokenHeader`. */
  takesToken?: boolean;
  tokenHeader?: string;
  /** Further headers. */
  headers?: Readonly<Record<string, string>>;
  /** It sets the state of a commit: severities do not filter what it gets, and what is overtaken is not sent. */
  marksCommits?: boolean;
  /** Alerts that are sent to it; all when absent. */
  wants?(message: AlertMessage): boolean;
  /** The problem with the settings, known without a message. */
  problemOf?(settings: ReceiverSettings, address: URL): string | undefined;
  /** Reason for which no attempt to send this message can succeed. */
  refuses?(message: AlertMessage): string | undefined;
  /** Reads an answer outside 2xx; `accepted` if the receiver has all the same what it should. */
  refusal?(post: RefusedPost): Refusal | 'accepted' | undefined;
  /** Gets the signature of the body, if it has a key. */
  isSigned?: boolean;
  /** Reads the body of a 2xx answer; a text says why the receiver failed all the same. */
  failureIn?(body: string): { reason: string; mayRetry: boolean } | undefined;
}

/** Appends this path to an address that does not end with it. */
export function withPath(address: URL, ending: string): URL {
  const url = new URL(address);
  const path = url.pathname.replace(/\/$/, '');
  url.pathname = path.endsWith(ending) ? path : `${path}${ending}`;
  return url;
}

/** The Canary as receivers show it. */
export function workloadName({ canary }: AlertMessage): string {
  return `${canary.name}.${canary.namespace}`;
}
