import http from 'node:http';
import https from 'node:https';
import type { AddressInfo, Socket } from 'node:net';

/**
 * `slow`: each answer comes 2 s late. `throttled`: every second write is refused. `tenth`: nine of ten requests are refused, but for leases and watches.
 * `down`: no connection. `lagging`: no news by watches.
 */
export const FAULTS = ['slow', 'throttled', 'tenth', 'down', 'lagging'] as const;
export type Fault = (typeof FAULTS)[number];

export interface FaultProxy {
  readonly url: string;
  /** Sets the fault from now on. `undefined` lets answers pass. */
  set(fault: Fault | undefined): void;
  /** Requests that were refused. */
  refused(): number;
  stop(): Promise<void>;
}

const SLOW_MS = 2_000;
const RETRY_AFTER_SECONDS = 1;
const THROTTLED = JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'TooManyRequests', code: 429 });

/**
 * Between a controller and its API server, on loopback: passes on what comes, as long as no fault is set. `token`: sent with each request, since clients of
 * Go send none over plain HTTP.
 */
export async function startFaultProxy(target: string, token?: string): Promise<FaultProxy> {
  const [origin, client] = [new URL(target), target.startsWith('https:') ? https : http];
  // The server's certificate is its own, made a moment ago on this machine.
  const agent = client === https ? new https.Agent({ keepAlive: true, rejectUnauthorized: false }) : new http.Agent({ keepAlive: true });
  const sockets = new Set<Socket>();
  const held = new Set<() => void>();
  let fault: Fault | undefined;
  let judged = 0;
  let refused = 0;

  const server = http.createServer((request, response) => {
    const isWatch = /[?&]watch=(true|1)/.test(request.url ?? '');
    if (isRefused(request, isWatch)) {
      refused += 1;
      request.resume();
      response.writeHead(429, { 'Content-Type': 'application/json', 'Retry-After': RETRY_AFTER_SECONDS }).end(THROTTLED);
      return;
    }
    const headers = token === undefined ? request.headers : { ...request.headers, authorization: `Bearer ${token}` };
    const lateMs = fault === 'slow' ? SLOW_MS : 0;
    const onward = client.request(
      { hostname: origin.hostname, port: origin.port, path: request.url, method: request.method, headers, agent },
      (answer) => {
        const begin = (): void => {
          if (response.destroyed) return void answer.destroy();
          response.writeHead(answer.statusCode ?? 502, answer.headers);
          if (isWatch) passNews(answer, response);
          else answer.pipe(response);
        };
        if (lateMs === 0) begin();
        else setTimeout(begin, lateMs);
      },
    );
    onward.once('error', () => response.destroy());
    // The client has given up: so the server learns of it.
    response.once('close', () => onward.destroy());
    request.pipe(onward);
  });

  function isRefused({ method, url = '' }: http.IncomingMessage, isWatch: boolean): boolean {
    if (fault === 'throttled' && method !== 'GET') return ++judged % 2 === 0;
    // An API server has a priority level of its own for leases.
    if (fault === 'tenth' && !isWatch && !url.includes('/leases')) return ++judged % 10 !== 0;
    return false;
  }

  /** Holds the events of a watch while watches lag, and then sends them in their order. */
  function passNews(answer: http.IncomingMessage, response: http.ServerResponse): void {
    response.flushHeaders();
    const waiting: Buffer[] = [];
    const release = (): void => {
      for (const part of waiting.splice(0)) response.write(part);
    };
    held.add(release);
    answer.on('data', (part: Buffer) => {
      if (fault === 'lagging') waiting.push(part);
      else response.write(part);
    });
    answer.once('error', () => response.destroy());
    answer.once('end', () => {
      release();
      response.end();
    });
    response.once('close', () => held.delete(release));
  }

  server.on('connection', (socket) => {
    if (fault === 'down') return void socket.destroy();
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    set(next) {
      fault = next;
      if (next === 'down') for (const socket of sockets) socket.destroy();
      if (next === undefined) for (const release of held) release();
    },
    refused: () => refused,
    stop: () =>
      new Promise((resolve) => {
        agent.destroy();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
