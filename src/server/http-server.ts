import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Clock, systemClock } from '../base/clock.ts';
import { limitConnections } from './connections.ts';
import { sharedRender } from './shared-render.ts';

export interface HealthServerOptions {
  port: number;
  host?: string;
  /** Instead of TCP. */
  listen?(server: Server, port: number): Promise<{ port: number; close(now: boolean): Promise<void> }>;
  metrics(): Promise<{ contentType: string; text: string }>;
  /** Reason to restart the process, `undefined` while it is well. */
  unlive(): string | undefined;
  /** Reason to send no requests to the process, `undefined` while it is ready. */
  unready(): string | undefined;
  /** Default: the system's. */
  clock?: Clock;
  /** Only tests wait for less, and open fewer. */
  limits?: Partial<typeof LIMITS>;
}

/** Kubelets and Prometheus need a handful of connections, and milliseconds for a request. */
const LIMITS = { connections: 256, headersMs: 5_000, requestMs: 5_000, answerMs: 10_000, headerBytes: 8_192 };

/** `/metrics`, `/livez`, `/readyz` and `/healthz` (Flagger's name of `/livez`). Each failure says why. */
export async function startHealthServer(options: HealthServerOptions): Promise<{ port: number; stop(): Promise<void> }> {
  const { connections, headersMs, requestMs, answerMs, headerBytes } = { ...LIMITS, ...options.limits };
  const { clock = systemClock } = options;
  const metrics = sharedRender(options.metrics, clock);
  const settings = {
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    connectionsCheckingInterval: Math.min(1_000, headersMs),
    keepAliveTimeout: 5_000,
    maxHeaderSize: headerBytes,
  };
  const server = createServer(settings, (request, response) => {
    // Answers of clients that do not read them are kept here.
    const forget = clock.setTimer(answerMs, () => request.socket.destroy());
    response.once('close', forget);
    const answer = (status: number, text: string | Buffer, contentType = 'text/plain; charset=utf-8') => {
      response.writeHead(status, { 'content-type': contentType });
      response.end(text);
    };
    if (request.method !== 'GET' && request.method !== 'HEAD') return answer(405, 'only GET\n');
    const why = { '/livez': options.unlive, '/healthz': options.unlive, '/readyz': options.unready };
    const path = (request.url ?? '/').split('?')[0] ?? '/';
    if (path === '/metrics') {
      metrics().then(
        ({ contentType, text }) => answer(200, text, contentType),
        (error: unknown) => answer(500, `${error}\n`),
      );
      return;
    }
    if (!Object.hasOwn(why, path)) return answer(404, 'try /metrics, /livez, /readyz or /healthz\n');
    const reason = why[path as keyof typeof why]();
    answer(reason === undefined ? 200 : 503, reason === undefined ? 'OK' : `${reason}\n`);
  });
  limitConnections(server, connections);
  if (options.listen) {
    const listener = await options.listen(server, options.port);
    return { port: listener.port, stop: () => listener.close(true) };
  }
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
