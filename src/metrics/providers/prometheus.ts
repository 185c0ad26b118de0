import { hideSecrets, userInfoOf } from '../../api/hide-secrets.ts';
import { headerProblem } from '../../api/request-header.ts';
import { ask } from '../http/ask.ts';
import { baseUrl } from '../http/base-url.ts';
import type { SampleChoice } from '../samples.ts';
import { type MakeBackend, type Transport, transportOf, wrongField } from './backend.ts';
import type { Measurement, MetricProvider } from './metric-provider.ts';
import { readAnswer } from './prometheus-answer.ts';

export interface PrometheusOptions extends Transport {
  /** Base URL; a path prefix and user info are kept, a query string is dropped (05 P1). */
  address: string;
  headers?: Readonly<Record<string, readonly string[]>>;
  basicAuth?: { username: string; password: string };
  /** A token; wins over `basicAuth`. */
  bearer?: string;
  choice?: SampleChoice;
}

/**
 * Prometheus' instant query API. Through got and not the prometheus-query package: that one reads `+Inf` as NaN, takes a value
 * of NaN for a number, and keeps the whole request with its credentials in its errors.
 */
export function prometheus(options: PrometheusOptions): MetricProvider {
  const runQuery = async (query: string, signal: AbortSignal): Promise<Measurement> => {
    const url = baseUrl(options.address, '/api/v1/query', { query: query.replace(/\s+/g, ' ') });
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

async function fetchMeasurement(url: URL, options: PrometheusOptions, signal: AbortSignal): Promise<Measurement> {
  const { bearer, basicAuth, headers = {}, timeoutMs, insecureSkipVerify, findWay, clock, tls, proxy, retries } = options;
  const transport = { timeoutMs, insecureSkipVerify, findWay, clock, tls, proxy, retries };
  const pair = basicAuth && `${basicAuth.username}:${basicAuth.password}`;
  const secrets = [
    bearer,
    pair,
    basicAuth?.password,
    basicAuth?.username,
    ...Object.values(headers).flat(),
    ...userInfoOf(options.address),
  ];
  const answer = await ask({ url, headers: headersOf(options) }, { who: 'Prometheus', ...transport, secrets, signal });
  if ('kind' in answer) return answer;
  if (answer.status >= 300) {
    // 400 is Prometheus' answer to a query that it cannot read.
    const code = answer.status === 400 ? ({ code: 'QueryInvalid' } as const) : {};
    return { kind: 'error', reason: `Prometheus answered ${answer.status}${detailOf(answer.body, secrets)}`, ...code };
  }
  const measured = readAnswer(answer.body, options.choice);
  return measured.kind === 'value' ? measured : { ...measured, reason: hideSecrets(measured.reason, secrets) };
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
function detailOf(body: string, secrets: readonly (string | undefined)[]): string {
  try {
    const { error } = JSON.parse(body) as { error?: unknown };
    return typeof error === 'string' ? `: ${hideSecrets(error, secrets).slice(0, 300)}` : '';
  } catch {
    return '';
  }
}

/** `spec.provider` of type `prometheus`: a token wins over a name and password (05 4.1). */
export const prometheusBackend: MakeBackend = (source) => {
  const { provider, secret, secretName, choice } = source;
  const { address, headers } = provider;
  if (!address) return wrongField('spec.provider.address', 'is required');
  for (const [name, values] of Object.entries(headers ?? {})) {
    const problem = headerProblem(name, values);
    if (problem !== undefined) return wrongField('spec.provider.headers', `has ${JSON.stringify(name.slice(0, 80))}, which ${problem}`);
  }
  const options: PrometheusOptions = { address, choice, ...transportOf(source), ...(headers ? { headers } : {}) };
  if (!secret) return prometheus(options);
  const { token, username, password } = secret;
  if (token) return prometheus({ ...options, bearer: token });
  // A Secret may be there for TLS alone.
  if (username === undefined && password === undefined && source.tls) return prometheus(options);
  if (username === undefined || password === undefined) return { problem: `Secret ${secretName} needs token, or username and password` };
  return prometheus({ ...options, basicAuth: { username, password } });
};
