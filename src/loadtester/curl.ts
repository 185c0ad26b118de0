import { setTimeout as sleep } from 'node:timers/promises';
import { constants, gunzipSync } from 'node:zlib';
import type { CurlOptions } from './curl-options.ts';
import { type Connections, ExchangeError, errorCode, exchange, type HttpResponse, openConnections } from './exchange.ts';
import type { TargetPolicy } from './target-policy.ts';

/** More of a body is dropped, and said to be. */
const KEEP_BYTES = 262_144;

/** Output and exit code of curl; 0 is success. */
export interface CurlResult {
  exitCode: number;
  stdout: string;
  stderr: string;
}

/** The requests that `curl` makes, without a process. Throws only when `signal` was aborted. */
export async function curl(options: CurlOptions, policy: TargetPolicy, signal: AbortSignal): Promise<CurlResult> {
  const connections = openConnections(policy, { keepAlive: true, verifyTls: options.verifyTls, atMost: 1 });
  const result: CurlResult = { exitCode: 0, stdout: '', stderr: '' };
  try {
    for (const request of options.requests) {
      const one = await untilAnswered({ options, request, connections, signal });
      result.exitCode = one.exitCode;
      result.stdout += one.stdout;
      result.stderr += one.stderr;
    }
    return result;
  } finally {
    connections.close();
  }
}

interface Asking {
  options: CurlOptions;
  request: CurlOptions['requests'][number];
  connections: Connections;
  signal: AbortSignal;
}

async function untilAnswered(asking: Asking): Promise<CurlResult> {
  const { options, request, signal } = asking;
  const firstMs = performance.now();
  for (let attempt = 0; ; attempt += 1) {
    const startedMs = performance.now();
    const seen = await ask(asking);
    const delayMs = options.retryDelayMs ?? Math.min(1000 * 2 ** attempt, 600_000);
    const isLate = options.retryWithinMs > 0 && performance.now() + delayMs - firstMs > options.retryWithinMs;
    if (attempt >= options.retries || isLate || !isWorthRepeating(seen, options))
      return 'failed' in seen
        ? failure(seen.failed, request.url.host)
        : printed(unpacked(seen.answer, options), asking, performance.now() - startedMs);
    await sleep(delayMs, undefined, { signal });
  }
}

type CurlAttempt = { answer: HttpResponse } | { failed: unknown };

async function ask({ options, request, connections, signal }: Asking): Promise<CurlAttempt> {
  const { method, body, timeoutMs, connectMs, family, redirects, show } = options;
  const asked = { ...request, method, body, timeoutMs, connectMs, family, redirects, keepBytes: show ? KEEP_BYTES : 0 };
  try {
    return { answer: await exchange(asked, connections, signal) };
  } catch (failed) {
    signal.throwIfAborted();
    return { failed };
  }
}

function isWorthRepeating(seen: CurlAttempt, { retryAlways, retryOnRefused, fail }: CurlOptions): boolean {
  if ('failed' in seen)
    return retryAlways || errorCode(seen.failed) === 'TIMEOUT' || (retryOnRefused && errorCode(seen.failed) === 'ECONNREFUSED');
  const { status } = seen.answer;
  return [408, 429, 500, 502, 503, 504].includes(status) || (retryAlways && fail !== 'no' && status >= 400);
}

/** Exit codes of curl, by the code of the error. */
const EXIT_CODES: Readonly<Record<string, number>> = { ENOTFOUND: 6, EAI_AGAIN: 6, TIMEOUT: 28, TOO_MANY_REDIRECTS: 47 };

function failure(error: unknown, host: string): CurlResult {
  const code = errorCode(error);
  const exitCode = EXIT_CODES[code] ?? (/CERT|TLS|SSL|SIGNED/.test(code) ? 60 : 7);
  const why = error instanceof ExchangeError ? error.message : code;
  return { exitCode, stdout: '', stderr: `curl: (${exitCode}) no answer from ${host}: ${why}\n` };
}

/** With `--compressed`, the text of a body that was sent compressed. */
function unpacked(answer: HttpResponse, { compressed }: CurlOptions): HttpResponse & { isBroken?: true } {
  if (!compressed || answer.headers['content-encoding'] !== 'gzip' || answer.body.length === 0) return answer;
  try {
    // A body that was cut off is unpacked up to its last kept byte.
    return { ...answer, body: gunzipSync(answer.body, { maxOutputLength: KEEP_BYTES, finishFlush: constants.Z_SYNC_FLUSH }) };
  } catch {
    return { ...answer, body: Buffer.alloc(0), isBroken: true };
  }
}

function printed(
  answer: HttpResponse & { isBroken?: true },
  { options: { fail, include, show, writeOut, verbose, method }, request }: Asking,
  tookMs: number,
): CurlResult {
  if (answer.isBroken)
    return {
      exitCode: 61,
      stdout: '',
      stderr: `curl: (61) the answer is not gzip, or more than ${KEEP_BYTES} bytes when it is unpacked\n`,
    };
  const hasFailed = fail !== 'no' && answer.status >= 400;
  const head = `HTTP/1.1 ${answer.status} ${answer.statusText}\n${Object.entries(answer.headers)
    .map(([name, value]) => `${name}: ${value}\n`)
    .join('')}\n`;
  const isCut = show && answer.size > answer.body.length;
  return {
    exitCode: hasFailed ? 22 : 0,
    stdout: `${include && show ? head : ''}${show && !(hasFailed && fail === 'yes') ? answer.body.toString('utf8') : ''}${written(writeOut, answer, tookMs)}`,
    stderr: `${verbose ? `> ${method} ${request.url.pathname}\n${head.replace(/^(?=.)/gm, '< ')}` : ''}${hasFailed ? `curl: (22) the answer is ${answer.status}\n` : ''}${isCut ? `curl: only the first ${KEEP_BYTES} bytes of the answer were kept\n` : ''}`,
  };
}

function written(text: string, { status, size, headers }: HttpResponse, tookMs: number): string {
  const values: Record<string, string> = {
    ...{ http_code: String(status).padStart(3, '0'), response_code: String(status).padStart(3, '0'), size_download: String(size) },
    ...{ time_total: (tookMs / 1000).toFixed(6), content_type: String(headers['content-type'] ?? '') },
  };
  // One header of the tested server, named over and over, must not fill the memory.
  let left = KEEP_BYTES;
  const bounded = (value: string) => {
    const shown = value.slice(0, left);
    left -= shown.length;
    return shown;
  };
  return text
    .replace(/%\{(\w+)\}/g, (_, name: string) => bounded(values[name] ?? ''))
    .replace(/\\([nrt])/g, (_, letter) => ({ n: '\n', r: '\r', t: '\t' })[letter as 'n'] ?? '');
}
