import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { loopback, type Network } from '../../../src/embedded/network.ts';

/** Behaviour of a receiver. `cutOff`: the connection ends within the head; `cutOffBody`: within the body. */
export type Behaviour =
  | { kind: 'answers'; status: number; body?: string; headers?: Record<string, string> }
  | { kind: 'silent' }
  | { kind: 'cutOff' }
  | { kind: 'cutOffBody' }
  | { kind: 'echoes'; status: number }
  | { kind: 'pours' };

export interface Post {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface ChatServer {
  readonly origin: string;
  readonly posts: Post[];
  behaves(behaviour: Behaviour): void;
  stop(): Promise<void>;
}

/** A chat server. Each of its answers has an end: the process of the test closes what it leaves open. */
export async function startChatServer(network: Network = loopback): Promise<ChatServer> {
  const posts: Post[] = [];
  let behaviour: Behaviour = { kind: 'answers', status: 200, body: 'ok' };
  const server = createServer(async (request, response) => {
    const body = await text(request);
    posts.push({ path: `${request.method} ${request.url}`, headers: request.headers, body });
    respond(behaviour, request, response, body);
  });
  // For a TLS receiver, a client sends CONNECT to its proxy.
  server.on('connect', (request, client) => {
    posts.push({ path: `CONNECT ${request.url}`, headers: request.headers, body: '' });
    client.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
  });
  const listener = await network.listen(server);
  return {
    origin: listener.url,
    posts,
    behaves: (next) => {
      behaviour = next;
      posts.splice(0);
    },
    stop: () => listener.close(true),
  };
}

function respond(behaviour: Behaviour, request: IncomingMessage, response: ServerResponse, body: string): void {
  switch (behaviour.kind) {
    case 'answers':
      response.writeHead(behaviour.status, behaviour.headers).end(behaviour.body ?? '');
      return;
    case 'silent':
      return;
    case 'cutOff':
      response.socket?.end('HTTP/1.1 200 O');
      return;
    case 'cutOffBody':
      response.writeHead(200, { 'content-length': 100 });
      response.write('{"ok":', () => response.socket?.destroy());
      return;
    case 'echoes':
      // All that a receiver knows of the caller.
      response.writeHead(behaviour.status).end(`${request.url} ${JSON.stringify(request.headers)} ${body}`);
      return;
    case 'pours': {
      response.writeHead(200);
      const pour = (): void => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
        response.once('drain', pour);
      };
      pour();
      return;
    }
    default:
      behaviour satisfies never;
  }
}

/** An address without a listener. */
export async function nowhere(): Promise<string> {
  const server = await startChatServer();
  const { origin } = server;
  await server.stop();
  await new Promise<void>((resolve) => connect(Number(new URL(origin).port), '127.0.0.1').once('error', () => resolve()));
  return origin;
}
