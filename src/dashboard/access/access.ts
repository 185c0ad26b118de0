import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { ListChange } from '../canary-model.ts';
import { PROOF_HEADER } from '../own-headers.ts';
import type { Views } from '../views.ts';
import type { CanaryName, SessionView } from '../wire.ts';

/** An answer of HTTP. */
export interface PageResponse {
  status: number;
  text: string;
  /** Default: plain text. */
  type?: string;
  headers?: Readonly<Record<string, string | readonly string[]>>;
}

/** A reader with a session, and the rights of that reader. */
export interface Viewer {
  /** The same object for every request of a session. */
  readonly session: object;
  readonly views: Views;
  /** The session for the page. */
  readonly about: SessionView;
  /** Shows the whole list that the viewer may see, and each change, until the returned function is called. */
  followList(show: (change: ListChange) => void): () => void;
  /** Seconds until a request is accepted again, `undefined` if it is accepted now. */
  waitSeconds(): number | undefined;
  /** Rejects, with the reason, if the user has no right to read this Canary, or to follow it by a stream. */
  mayRead(canary: CanaryName, how: 'get' | 'watch'): Promise<void>;
  /** Calls `end` when the session ends, until the returned function is called. */
  onEnd(end: () => void): () => void;
}

/** Access of readers: login, sessions and refusals. */
export interface Access {
  /** Origin of the page under this `Host`, `undefined` for an unknown name. */
  originOf(host: string): string | undefined;
  /** Remedy for an unknown `Host`. */
  readonly hostRemedy: string;
  /** Answers a request that needs no session, like a login; `undefined` for any other request. */
  enter(request: IncomingMessage, path: string, query: URLSearchParams): Promise<PageResponse | undefined>;
  /** Accepts the cookie of a session: it is enough for pages and scripts, which contain nothing of a cluster. */
  mayLoad(headers: IncomingHttpHeaders): boolean;
  /** Viewer of the session, if the request has both its cookie and its proof. */
  viewerOf(headers: IncomingHttpHeaders): Viewer | undefined;
  /** The answer to a request without a session. */
  refuse(request: IncomingMessage, path: string): PageResponse;
}

/** Cookie and proof of a session, as far as a request has them. */
export interface Credentials {
  cookie: string | undefined;
  proof: string | undefined;
}

/** Cookie and proof of the session whose cookie has this name. */
export function credentialsOf(headers: IncomingHttpHeaders, name: string): Credentials {
  const proof = headers[PROOF_HEADER];
  return { cookie: cookieValue(headers.cookie, name), proof: typeof proof === 'string' ? proof : undefined };
}

/** A value of the header `Cookie`. */
export function cookieValue(header: string | undefined, name: string): string | undefined {
  const pairs = (header ?? '').split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}
