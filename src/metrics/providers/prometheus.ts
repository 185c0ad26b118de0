import { PrometheusDriver } from 'prometheus-query';
import { hideSecrets, userInfoOf } from '../../base/hide-secrets.ts';
import { isRecord, parseJson } from '../../base/json.ts';
import { headerProblem } from '../../base/request-header.ts';
import { baseUrl } from '../http/base-url.ts';
import { sendRequest } from '../http/send-request.ts';
import { pickSample, type SampleChoice, type SampleRule } from '../samples.ts';
import { type BackendTransport, type MakeBackend, optionalSecret, transportOf, wrongField } from './backend.ts';
import type { Measurement, MeasureProblem, SeriesProvider } from './metric-provider.ts';
import { checkedResponse, type Readable, samplesOf } from './prometheus-response.ts';
import { seriesOf } from './prometheus-series.ts';

/** The last of several series with a value decides, unless the template chooses. */
const RULE: SampleRule = { series: 'last', sample: 'last', null: 'skip', empty: 'noData', nan: 'noData' };

export interface PrometheusOptions extends BackendTransport {
  /** Base URL; a path prefix and user info are kept, a query string is dropped. */
  address: string;
  headers?: Readonly<Record<string, readonly string[]>>;
  basicAuth?: { username: string; password: string };
  /** A token; wins over `basicAuth`. */
  bearer?: string;
  choice?: SampleChoice;
}

/**
 * Prometheus' instant query API by the driver of prometheus-query, whose requests are sent by Serin's own client: limits, TLS, proxies, the egress policy and
 * the visible parts are Serin's. No credential passes through the driver, which keeps whole requests in its errors.
 */
export function prometheusAt(options: PrometheusOptions): SeriesProvider {
  const runQuery = (query: string, signal: AbortSignal): Promise<Measurement> => instantQuery(query.replace(/\s+/g, ' '), options, signal);
  return {
    runQuery,
    async readSeries(query, signal) {
      const response = await fetchBody(query, options, signal, { mayPost: true });
      if ('reason' in response) return { ...response, kind: 'error' };
      const series = seriesOf(response.body);
      return 'reason' in series ? { kind: 'error', reason: hideSecrets(series.reason, secretsOf(options)) } : { kind: 'series', series };
    },
    async isOnline(signal) {
      const response = await runQuery('vector(1)', signal);
      if (response.kind !== 'value') return response.reason;
      return response.value === 1 ? undefined : `vector(1) gave ${response.value}: the server there is not Prometheus`;
    },
  };
}

type QueryProblem = { reason: string; isUnreachable?: true } & MeasureProblem;

async function instantQuery(query: string, options: PrometheusOptions, signal: AbortSignal): Promise<Measurement> {
  const asked: { problem: QueryProblem; absent: ReadonlySet<number> } = {
    problem: { reason: 'the answer of Prometheus could not be read' },
    absent: new Set(),
  };
  const driver = new PrometheusDriver({
    // A placeholder: the address can contain a password.
    endpoint: 'http://prometheus',
    requestInterceptor: {
      onFulfilled: (config) => ({
        ...config,
        async adapter({ params }) {
          const response = await fetchChecked(params.get('query'), options, signal);
          if ('reason' in response) {
            asked.problem = response;
            throw new Error('no answer that could be read');
          }
          asked.absent = response.absent;
          return { data: response, status: 200, statusText: '', headers: {}, config };
        },
      }),
    },
  });
  const result = await driver.instantQuery(query).catch(() => undefined);
  if (result === undefined) return { ...asked.problem, kind: 'error' };
  return pickSample(samplesOf(result, asked.absent), RULE, options.choice);
}

async function fetchChecked(query: string, options: PrometheusOptions, signal: AbortSignal): Promise<Readable | QueryProblem> {
  const response = await fetchBody(query, options, signal);
  if ('reason' in response) return response;
  const checked = checkedResponse(response.body);
  return 'reason' in checked ? { reason: hideSecrets(checked.reason, secretsOf(options)) } : checked;
}

/**
 * Maximum length in a URL: proxies before Prometheus read request lines of some 8 KiB; a longer query is sent as a form, which its API accepts for that reason.
 * Characters.
 */
const LONGEST_LINE = 4_096;

async function fetchBody(
  query: string,
  options: PrometheusOptions,
  signal: AbortSignal,
  { mayPost = false } = {},
): Promise<{ body: string } | QueryProblem> {
  const form = new URLSearchParams({ query }).toString();
  const isPosted = mayPost && form.length > LONGEST_LINE;
  // Without the driver's time: the clock of Prometheus decides the time of the query.
  const url = baseUrl(options.address, '/api/v1/query', isPosted ? {} : { query });
  if (!url) return { reason: 'the address of Prometheus must be an http or https URL' };
  const secrets = secretsOf(options);
  const headers = headersOf(options);
  const request = isPosted
    ? { url, headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' }, body: form }
    : { url, headers };
  const response = await sendRequest(request, { ...options, who: 'Prometheus', secrets, signal });
  if ('kind' in response) return response;
  if (response.status >= 300) {
    const reason = `Prometheus answered ${response.status}${detailOf(response.body, secrets)}`;
    // 400 is Prometheus' answer to a query that it cannot read.
    return response.status === 400 ? { reason, code: 'QueryInvalid' } : { reason };
  }
  return response;
}

function secretsOf({ address, headers = {}, bearer, basicAuth }: PrometheusOptions): (string | undefined)[] {
  const pair = basicAuth && `${basicAuth.username}:${basicAuth.password}`;
  return [bearer, pair, basicAuth?.password, basicAuth?.username, ...Object.values(headers).flat(), ...userInfoOf(address)];
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

/** Prometheus' own text for a refused query; nothing of any other body, since any server could have sent it. */
function detailOf(body: string, secrets: readonly (string | undefined)[]): string {
  const json = parseJson(body);
  return isRecord(json) && typeof json.error === 'string' ? `: ${hideSecrets(json.error, secrets).slice(0, 300)}` : '';
}

/** `spec.provider` of type `prometheus`: a token wins over a name and password (05 4.1). */
export const prometheus: MakeBackend = (source) => {
  const { provider, secretName, choice } = source;
  const { address, headers } = provider;
  if (!address) return wrongField('spec.provider.address', 'is required');
  for (const [name, values] of Object.entries(headers ?? {})) {
    const problem = headerProblem(name, values);
    if (problem !== undefined) return wrongField('spec.provider.headers', `has ${JSON.stringify(name.slice(0, 80))}, which ${problem}`);
  }
  const options: PrometheusOptions = { address, choice, ...transportOf(source), ...(headers ? { headers } : {}) };
  const secret = optionalSecret(source);
  if (!secret) return prometheusAt(options);
  const { token, username, password } = secret;
  if (token) return prometheusAt({ ...options, bearer: token });
  if (username === undefined || password === undefined) return { problem: `Secret ${secretName} needs token, or username and password` };
  return prometheusAt({ ...options, basicAuth: { username, password } });
};
