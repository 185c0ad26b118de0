import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { ReceivedRequest, Reply } from './routes.ts';

export interface HttpOptions {
  port: number;
  host: string | undefined;
  answer(asked: ReceivedRequest): Promise<Reply>;
  log: Logger;
  /** Longest time for headers, and for a whole request, to arrive; only tests set less. */
  headersTimeoutMs?: number;
  requestTimeoutMs?: number;
}

const BODY_LIMIT_BYTES = 65_536;
/** Bytes read and dropped of a body that is too long, so that its sender gets the answer. */
const DROP_LIMIT_BYTES = 1_048_576;

const LAST_ANSWERS_MS = 1_000;

export interface HttpServer {
  port: number;
  /** Accepts no new connection and closes the idle connections. */
  close(): void;
  stop(): Promise<void>;
}

/** Listens within limits on what it is sent; how long an answer takes is not limited, since blocking tasks take long. */
export async function listen(options: HttpOptions): Promise<HttpServer> {
  const { port, host, answer, log, headersTimeoutMs = 10_000, requestTimeoutMs = 30_000 } = options;
  let closed: Promise<void> | undefined;
  let underWay = 0;
  let onIdle: (() => void) | undefined;
  const server = createServer(
    {
      headersTimeout: headersTimeoutMs,
      requestTimeout: requestTimeoutMs,
      connectionsCheckingInterval: Math.min(1_000, headersTimeoutMs),
      // Longer than callers keep an idle connection, or one of their requests meets the end of it.
      keepAliveTimeout: 95_000,
      maxHeaderSize: 16_384,
    },
    (request, response) => {
      underWay += 1;
      response.once('close', () => {
        underWay -= 1;
        if (underWay === 0) onIdle?.();
      });
      // Before the answer is written: a later request on this connection would meet a server that has gone.
      if (closed !== undefined) response.setHeader('connection', 'close');
      handle(request, response, answer).catch((error: unknown) => {
        log.error({ err: error }, 'a request could not be answered');
        if (!response.headersSent) send(response, { status: 500, text: 'the load tester could not answer' });
        else response.destroy();
      });
    },
  );
  server.maxConnections = 1_024;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const close = () => {
    closed ??= new Promise((resolve) => server.close(() => resolve()));
    server.closeIdleConnections();
  };
  return {
    port: (server.address() as AddressInfo).port,
    close,
    async stop() {
      close();
      const idle = new Promise<void>((resolve) => {
        onIdle = resolve;
        if (underWay === 0) resolve();
      });
      // A caller that does not read its answer does not hold the end up.
      await Promise.race([idle, sleep(LAST_ANSWERS_MS, undefined, { ref: false })]);
      server.closeAllConnections();
      await closed;
    },
  };
}

async function handle(request: IncomingMessage, response: ServerResponse, answer: HttpOptions['answer']): Promise<void> {
  const { method = '', url = '/', headers } = request;
  const body = await bodyOf(request);
  if (body === 'gone') return;
  if (body === 'too long') {
    send(response, { status: 413, text: `a body is at most ${BODY_LIMIT_BYTES} bytes here`, headers: { connection: 'close' } });
    return dropRest(request);
  }
  const waiting = new AbortController();
  response.once('close', () => waiting.abort(new Error('the caller is gone')));
  const reply = await answer({ method, url, headers, body, signal: waiting.signal });
  if (!waiting.signal.aborted) send(response, reply);
}

function send(response: ServerResponse, { status, text, headers }: Reply): void {
  response.writeHead(status, {
    ...(text !== '' && { 'content-type': 'text/plain; charset=utf-8' }),
    'x-content-type-options': 'nosniff',
    'content-length': Buffer.byteLength(text),
    ...headers,
  });
  response.end(text);
}

function bodyOf(request: IncomingMessage): Promise<Buffer | 'too long' | 'gone'> {
  const { promise, resolve } = Promise.withResolvers<Buffer | 'too long' | 'gone'>();
  if (Number(request.headers['content-length'] ?? 0) > BODY_LIMIT_BYTES) return Promise.resolve('too long');
  const chunks: Buffer[] = [];
  let size = 0;
  request.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > BODY_LIMIT_BYTES) resolve('too long');
    else chunks.push(chunk);
  });
  request.once('end', () => resolve(Buffer.concat(chunks)));
  request.once('close', () => resolve('gone'));
  request.on('error', () => resolve('gone'));
  return promise;
}

function dropRest(request: IncomingMessage): void {
  let dropped = 0;
  request.on('error', () => undefined);
  request.on('data', (chunk: Buffer) => {
    dropped += chunk.length;
    if (dropped > DROP_LIMIT_BYTES) request.destroy();
  });
}
