import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type ClientHttp2Session, connect, type IncomingHttpHeaders } from 'node:http2';
import { loopback } from '../../src/embedded/network.ts';

/** A message of no bytes: one byte that says that it is not compressed, and its length in four. */
const EMPTY_MESSAGE = Buffer.alloc(5);
const CALL = '/web.v1.Shop/Buy';
/** A request for a service calls some method of it. */
const ONLY_SERVICE = /^\/[^/]+$/;
/** Headers of one connection, which HTTP/2 does not permit. */
const OF_CONNECTION = ['connection', 'host', 'keep-alive', 'transfer-encoding', 'content-length'];

export interface GrpcClient {
  readonly url: string;
  /** Calls that came to an end with the trailers of gRPC. */
  ended(): number;
  stop(): Promise<void>;
}

/**
 * Makes a gRPC call of each request that comes, on one HTTP/2 connection to a proxy, so that users of every scenario are clients of gRPC. Answers have
 * the headers of the call.
 */
export async function startGrpcClient(proxy: string): Promise<GrpcClient> {
  let session: ClientHttp2Session | undefined;
  let ended = 0;
  const connected = (): ClientHttp2Session => {
    if (session === undefined || session.closed || session.destroyed) {
      session = connect(proxy);
      // Each call under way fails by itself.
      session.on('error', () => undefined);
    }
    return session;
  };
  const send = ({ headers, url }: IncomingMessage, outgoing: ServerResponse): void => {
    const fail = (why: string): void => {
      if (!outgoing.headersSent) outgoing.writeHead(503, { 'x-serin-proxy-error': why.replaceAll(/[^\x20-\x7e]/g, '?') });
      outgoing.end();
    };
    const own = Object.entries(headers).filter(([name]) => !OF_CONNECTION.includes(name));
    const call = connected().request({
      ...Object.fromEntries(own),
      ...{ ':method': 'POST', ':path': callOf(url), ':scheme': 'http', ':authority': headers.host ?? '' },
      ...{ 'content-type': 'application/grpc', te: 'trailers' },
    });
    call.on('response', (answer) => outgoing.writeHead(answer[':status'] ?? 502, answerHeaders(answer)));
    call.on('trailers', (trailers) => {
      if (trailers['grpc-status'] === '0') ended += 1;
    });
    call.on('data', (part: Buffer) => outgoing.write(part));
    call.once('end', () => outgoing.end());
    call.once('error', ({ message }) => fail(message));
    call.end(EMPTY_MESSAGE);
  };
  const listener = await loopback.listen(createServer(send));
  return {
    url: listener.url,
    ended: () => ended,
    async stop() {
      await listener.close(true);
      session?.destroy();
    },
  };
}

/** By the path of the request: `/`, a service, or a service with its method. */
function callOf(path = '/'): string {
  if (path === '/') return CALL;
  return ONLY_SERVICE.test(path) ? `${path}/Any` : path;
}

/** An error of the proxy is a status of gRPC among the headers. */
function answerHeaders(answer: IncomingHttpHeaders): Record<string, string | string[]> {
  const status = answer['grpc-status'];
  const failed = status === undefined ? {} : { 'x-serin-proxy-error': `gRPC status ${status}` };
  const own = Object.entries(answer).filter(
    (each): each is [string, string | string[]] => !each[0].startsWith(':') && each[1] !== undefined && !OF_CONNECTION.includes(each[0]),
  );
  return { ...Object.fromEntries(own), ...failed };
}
