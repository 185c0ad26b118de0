import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export interface ReceivedRequest {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  body: string;
  atMs: number;
}
export type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** A server on one address of loopback that keeps all requests that it receives. */
export interface Listener {
  readonly host: string;
  readonly port: number;
  url(path: string): string;
  /** From now on; default 200 and `{}`. */
  answers(path: string, answer: Answer): void;
  /** Requests whose path begins so. */
  received(path?: string): ReceivedRequest[];
  forget(): void;
  stop(): Promise<void>;
}

export async function listenAt(host: string, otherwise: Answer = json({})): Promise<Listener> {
  let all: ReceivedRequest[] = [];
  const answers = new Map<string, Answer>();
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    try {
      for await (const part of request) parts.push(part as Buffer);
    } catch {
      return;
    }
    const path = request.url ?? '';
    all.push({
      method: request.method ?? '',
      path,
      headers: request.headers,
      body: Buffer.concat(parts).toString().slice(0, 100_000),
      atMs: performance.now(),
    });
    const found = [...answers].find(([prefix]) => path.startsWith(prefix));
    (found?.[1] ?? otherwise)(request, response);
  });
  // Acts as a proxy: records CONNECT requests, and opens no tunnel.
  server.on('connect', (request: IncomingMessage, socket: Socket) => {
    all.push({ method: 'CONNECT', path: request.url ?? '', headers: request.headers, body: '', atMs: performance.now() });
    socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
  });
  server.on('clientError', (_, socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, host, resolve));
  const { port } = server.address() as AddressInfo;
  const authority = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
  return {
    host,
    port,
    url: (path) => `http://${authority}${path}`,
    answers: (path, answer) => void answers.set(path, answer),
    received: (path = '') => all.filter((one) => one.path.startsWith(path)),
    forget() {
      all = [];
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export function json(body: unknown, status = 200, headers: Record<string, string> = {}): Answer {
  return (_, response) =>
    response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(typeof body === 'string' ? body : JSON.stringify(body));
}

/** Response of Prometheus to a query. */
export const sample = (value: number | string = 1) =>
  json({ status: 'success', data: { resultType: 'vector', result: [{ metric: {}, value: [1_700_000_000, String(value)] }] } });

export const redirectTo =
  (location: string, status = 302): Answer =>
  (_, response) =>
    response.writeHead(status, { location }).end();
