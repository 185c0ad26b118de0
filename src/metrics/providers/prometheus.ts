import got, { type OptionsOfTextResponseBody } from 'got';
import type { Measurement, MetricProvider } from './metric-provider.ts';
import { readAnswer } from './prometheus-answer.ts';

export interface PrometheusOptions {
  /** Base URL; a path prefix and user info are kept, a query string is dropped (05 P1). */
  address: string;
  headers?: Readonly<Record<string, readonly string[]>>;
  insecureSkipVerify?: boolean;
  basicAuth?: { username: string; password: string };
  /** A token; wins over `basicAuth`. */
  bearer?: string;
  /** For the whole call, redirects included. */
  timeoutMs: number;
}

const MAX_BODY_BYTES = 5 * 1024 * 1024;

/**
 * Prometheus' instant query API. Through got and not the prometheus-query package: that one reads `+Inf` as NaN, takes a value
 * of NaN for a number, and keeps the whole request with its credentials in its errors.
 */
export function prometheus(options: PrometheusOptions): MetricProvider {
  const runQuery = async (query: string, signal: AbortSignal): Promise<Measurement> => {
    const url = queryUrl(options.address, query);
    if (!url) return { kind: 'error', reason: 'the address of Prometheus is no http or https URL' };
    return fetchMeasurement(url, options, signal);
  };
  return {
    runQuery,
    async isOnline(signal) {
      const answer = await runQuery('vector(1)', signal);
      if (answer.kind !== 'value') return answer.reason;
      return answer.value === 1 ? undefined : `vector(1) gave ${answer.value}: whatever answers there is no Prometheus`;
    },
  };
}

function queryUrl(address: string, query: string): URL | undefined {
  const url = URL.parse(address);
  if (!url || !['http:', 'https:'].includes(url.protocol)) return undefined;
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/api/v1/query`;
  url.hash = '';
  url.search = new URLSearchParams({ query: query.replace(/\s+/g, ' ') }).toString();
  return url;
}

async function fetchMeasurement(url: URL, options: PrometheusOptions, signal: AbortSignal): Promise<Measurement> {
  const tooLong = new AbortController();
  const deadline = AbortSignal.timeout(options.timeoutMs);
  const origin = url.origin;
  const request: OptionsOfTextResponseBody = {
    headers: headersOf(options),
    signal: AbortSignal.any([signal, deadline, tooLong.signal]),
    retry: { limit: 0 },
    throwHttpErrors: false,
    maxRedirects: 5,
    https: { rejectUnauthorized: options.insecureSkipVerify !== true },
    hooks: {
      beforeRedirect: [
        // Credentials may stand in any header, so a redirect elsewhere is refused rather than stripped.
        (next) => {
          if (next.url instanceof URL && next.url.origin !== origin) throw new Error('it redirects to another address');
        },
      ],
    },
  };
  try {
    const pending = got(url, request);
    pending.on('downloadProgress', ({ transferred }) => {
      if (transferred > MAX_BODY_BYTES) tooLong.abort();
    });
    const { statusCode, body } = await pending;
    if (statusCode >= 300) return { kind: 'error', reason: `Prometheus answered ${statusCode}${detailOf(body)}` };
    return readAnswer(body);
  } catch (error) {
    if (tooLong.signal.aborted) return { kind: 'error', reason: 'the answer is longer than 5 MB' };
    if (signal.aborted) return { kind: 'error', reason: 'the query was cancelled' };
    if (deadline.aborted) return { kind: 'error', reason: `Prometheus did not answer within ${options.timeoutMs} ms` };
    return { kind: 'error', reason: `Prometheus at ${origin} cannot be asked: ${redact(error, options)}` };
  }
}

function headersOf({ headers = {}, bearer, basicAuth }: PrometheusOptions): Record<string, string[]> {
  const all: Record<string, string[]> = {};
  for (const [name, values] of Object.entries(headers)) all[name.toLowerCase()] = [...values];
  if (bearer) all.authorization = [...(all.authorization ?? []), `Bearer ${bearer}`];
  else if (basicAuth) {
    all.authorization = [`Basic ${Buffer.from(`${basicAuth.username}:${basicAuth.password}`).toString('base64')}`];
  }
  return all;
}

/** Prometheus' own words for a refused query; of any other body nothing, since it may be anybody's (05 W37). */
function detailOf(body: string): string {
  try {
    const { error } = JSON.parse(body) as { error?: unknown };
    return typeof error === 'string' ? `: ${error.slice(0, 300)}` : '';
  } catch {
    return '';
  }
}

function redact(error: unknown, { address, bearer, basicAuth, headers = {} }: PrometheusOptions): string {
  const { username = '', password = '' } = URL.parse(address) ?? {};
  const secrets = [bearer, basicAuth?.password, basicAuth?.username, username, password, ...Object.values(headers).flat()];
  let text = error instanceof Error ? error.message : String(error);
  for (const secret of secrets) if (secret) text = text.replaceAll(secret, '***');
  return text;
}
