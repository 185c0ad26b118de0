import { type ClientRequest, Agent as HttpAgent, request as requestPlain } from 'node:http';
import { Agent as HttpsAgent, request as requestOverTls } from 'node:https';
import { isIP, type LookupFunction, connect as tcpConnect } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as tlsConnect } from 'node:tls';
import { NotAllowedError, type OutgoingConnection } from './connection.ts';
import { agentsFor, proxyUrl } from './proxy.ts';

export type EgressAgents = Required<Pick<OutgoingConnection, 'agent' | 'end'>>;

/** The hosts that a URL names are refused or passed here; names that it resolves, in `lookup`. */
export interface EgressRules {
  problemOf(host: string): string | undefined;
  /** Resolves a name to only allowed addresses. It is called once for a connection, which then goes to one of them. */
  lookup: LookupFunction;
  /** Gets the address of a direct connection, or the requested host of a connection through a proxy. */
  reached(addressOrHost: string | undefined): void;
  /** Make the connections of direct calls; default: by TCP. */
  base?: OutgoingConnection['agent'];
}

type Connect = HttpAgent['createConnection'];
type Options = Parameters<Connect>[0];
type Connected = (error: Error | null, stream?: Duplex) => void;

/** Agents that judge each connection by its address. No connection is kept: the next call is judged again. */
export function directAgents({ problemOf, lookup, reached, base }: EgressRules): EgressAgents {
  const judging = <A extends HttpAgent>(agent: A, by: HttpAgent = agent): A => {
    const connect: Connect = by.createConnection.bind(by);
    return withConnect(agent, problemOf, (options, connected) => {
      const socket = connect(options, connected) as ReturnType<typeof tcpConnect>;
      socket.once('connect', () => reached(socket.remoteAddress));
      return socket;
    });
  };
  return ending({ http: judging(new HttpAgent({ lookup }), base?.http), https: judging(new HttpsAgent({ lookup }), base?.https) });
}

/**
 * Agents for a proxy, which `rules.lookup` resolves. `undefined` if this Node version does not support proxies. The proxy sees requests to http addresses, and
 * only the host of requests to https addresses. It gets only the credentials of its own URL.
 */
export function proxiedAgents(proxy: URL, { problemOf, lookup, reached }: EgressRules): EgressAgents | undefined {
  // Node's own agent writes the request line and the credentials for a proxy.
  const http = agentsFor(proxy.href, {})?.http;
  if (!http) return undefined;
  const tunnels = new Set<ClientRequest>();
  const isTls = proxy.protocol === 'https:';
  const hop = { host: urlHost(proxy), port: portOf(proxy), lookup };
  const plain = withConnect(http, problemOf, ({ host }) => {
    reached(host ?? undefined);
    return isTls ? tlsConnect({ ...hop, ...(isIP(hop.host) === 0 && { servername: hop.host }) }) : tcpConnect(hop);
  });
  const tunneled = withConnect(new HttpsAgent(), problemOf, (options, connected) => {
    reached(options.host ?? undefined);
    const authority = `${isIP(options.host ?? '') === 6 ? `[${options.host}]` : options.host}:${options.port ?? 443}`;
    const headers = { host: authority, ...credentialsOf(proxy) };
    const request = (isTls ? requestOverTls : requestPlain)({ ...hop, method: 'CONNECT', path: authority, headers, agent: false });
    tunnels.add(request);
    request.once('close', () => tunnels.delete(request));
    request.once('error', (error) => connected(error));
    request.once('connect', ({ statusCode }, socket) => {
      if (statusCode === 200) return connected(null, tlsConnect({ ...(options as object), socket }));
      socket.destroy();
      connected(new Error(`its proxy answered ${statusCode} to CONNECT`));
    });
    request.end();
    return undefined;
  });
  const agents = ending({ http: plain, https: tunneled });
  return {
    agent: agents.agent,
    end() {
      for (const request of tunnels) request.destroy();
      agents.end();
    },
  };
}

/** The port of an http(s) URL, also where it names none. */
export const portOf = ({ port, protocol }: URL): number => Number(port || (protocol === 'https:' ? 443 : 80));

/** The host of a URL as addresses are written elsewhere. */
export const urlHost = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '');

function withConnect<A extends HttpAgent>(
  agent: A,
  problemOf: EgressRules['problemOf'],
  connect: (options: Options, connected: Connected) => Duplex | undefined,
): A {
  const judged: Connect = (options, callback) => {
    const connected = callback as Connected;
    const problem = problemOf(options.host ?? '');
    if (problem === undefined) return connect(options, connected);
    connected(new NotAllowedError(problem));
    return undefined;
  };
  return Object.assign(agent, { createConnection: judged });
}

/** More interim answers than a server sends in an hour, at one every few seconds. */
const MOST_INTERIM = 1_000;
/** Servers write some kilobytes at once, and at the least a line; an answer ends at 1 MiB. */
const MOST_PIECES = 16_384;

/** Method that Node calls for each request. Its types leave it out. */
interface Adding {
  addRequest(request: ClientRequest, ...rest: unknown[]): void;
}

/** Interim answers (1xx) and pieces of a body cost more to read than to send, however few bytes they have. */
function withFewPieces<A extends HttpAgent>(agent: A): A {
  const { addRequest } = agent as unknown as Adding;
  const limited: Adding['addRequest'] = (request, ...rest) => {
    request.on('information', atMost(MOST_INTERIM, 'interim answers', request));
    request.prependOnceListener('response', (response) => {
      const count = atMost(MOST_PIECES, 'pieces: have the server, or a proxy before it, write larger ones', request);
      const push = response.push.bind(response);
      response.push = (...piece) => {
        count();
        return push(...piece);
      };
    });
    addRequest.call(agent, request, ...rest);
  };
  return Object.assign(agent, { addRequest: limited });
}

function atMost(most: number, what: string, request: ClientRequest): () => void {
  let count = 0;
  return () => {
    count += 1;
    if (count > most) request.destroy(Object.assign(new Error(`the answer has more than ${most} ${what}`), { code: 'EPIECES' }));
  };
}

function ending({ http, https }: EgressAgents['agent']): EgressAgents {
  const agent = { http: withFewPieces(http), https: withFewPieces(https) };
  return {
    agent,
    end() {
      agent.http.destroy();
      agent.https.destroy();
    },
  };
}

function credentialsOf({ username, password }: URL): { 'proxy-authorization'?: string } {
  if (username === '' && password === '') return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` };
}

/** Agents through this proxy; or why there can be none. */
export function throughProxy(hop: string, rules: EgressRules): EgressAgents | { problem: string } {
  const url = proxyUrl(hop);
  if (!url) return { problem: 'its proxy must be an http or https address' };
  return proxiedAgents(url, rules) ?? { problem: 'a proxy needs Node 22.21, 24.5 or later' };
}
