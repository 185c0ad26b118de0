import { type Request, RequestError } from 'got';
import type { OutgoingConnection } from './connection.ts';

/**
 * The longest answer that is read, in bytes after decompression: about 3,000 series of Prometheus, or a day of one point a second from Graphite. Reading JSON
 * takes about ten times its size in memory, and meanwhile delays every other release.
 */
export const MAX_BODY_BYTES = 1024 * 1024;
/** An answer to a query that is judged has one series, some kilobytes at most: such answers do not wait for each other. */
export const SMALL_BODY_BYTES = 64 * 1024;

/** The answer is longer than `MAX_BODY_BYTES`. Users may read the message. */
export class TooLongError extends Error {
  constructor() {
    super('the answer is longer than 1 MiB: have the query give fewer series, or fewer points');
  }
}

/**
 * The whole answer. Beyond `SMALL_BODY_BYTES` no more is taken from the socket before `growAnswer` lets it. Its memory is free again when this resolves:
 * the text is read in the same turn of the event loop, before another answer can grow.
 */
export async function readBody(request: Request, connection: Pick<OutgoingConnection, 'growAnswer'>, signal: AbortSignal): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let shrink: (() => void) | undefined;
  try {
    for await (const chunk of request) {
      bytes += chunk.length;
      if (bytes > MAX_BODY_BYTES) throw new TooLongError();
      chunks.push(chunk);
      if (bytes > SMALL_BODY_BYTES) shrink ??= await connection.growAnswer?.(signal);
    }
    return Buffer.concat(chunks).toString('utf8');
  } finally {
    // Before another answer grows.
    request.destroy();
    shrink?.();
  }
}

/** The beginning of an answer. An answer that ends early is an error. */
export async function readUpTo(request: Request, limitBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    chunks.push(chunk);
    if (bytes >= limitBytes) break;
  }
  if (request.response?.complete === false && bytes < limitBytes)
    throw new RequestError('cut off', { code: 'ECONNRESET' }, request.options);
  return Buffer.concat(chunks).subarray(0, limitBytes).toString('utf8');
}
