import { isOnlyForTls } from '../../outgoing/tls-files.ts';
import type { AskCluster } from '../http/ask-cluster.ts';
import { baseUrl } from '../http/base-url.ts';
import type { AskOptions, BackendRequest } from '../http/send-request.ts';
import type { QueryTemplate } from '../metric-template.ts';
import type { SampleChoice } from '../samples.ts';
import type { MetricProvider } from './metric-provider.ts';

/** Data from which a backend is made, for one check. */
export interface BackendSource extends Pick<AskOptions, 'timeoutMs' | 'tls' | 'egress' | 'clock'> {
  /** `spec.provider` of the MetricTemplate. */
  provider: QueryTemplate['spec']['provider'];
  /** The namespace of the MetricTemplate. */
  namespace: string;
  /** Data of its Secret, decoded and untrimmed; undefined if it names none. */
  secret: Readonly<Record<string, string>> | undefined;
  /** Name of that Secret with its namespace, for messages. */
  secretName: string;
  /** Length of the metric's interval in milliseconds; undefined if it is not a Go duration, which only some backends need. */
  intervalMs: number | undefined;
  /** Time range of the query, if the template sets one; if undefined, the backend decides. */
  windowMs: number | undefined;
  choice: SampleChoice;
  nowMs: number;
  /** The API server of the cluster, for the backends in it; absent without a cluster, as on a command line. */
  askCluster?: AskCluster | undefined;
}

/** Reason for which no backend can be made: a sentence for the user. `placed`: the same, with the field of the MetricTemplate that decides it. */
export interface BackendProblem {
  problem: string;
  placed?: { field: string; message: string };
}

export const wrongAddress = wrongField('spec.provider.address', 'must be an http or https URL');

/** A problem of one field; the message is the rest of the sentence. */
export function wrongField(field: string, message: string): BackendProblem {
  return { problem: `${field} ${message}`, placed: { field, message } };
}

/** URL of a request below the address of a template, or the problem of that address. */
export function requestTo(
  address: string,
  path: string,
  query: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>>,
): BackendRequest | BackendProblem {
  const url = baseUrl(address, path, query);
  return url ? { url, headers } : wrongAddress;
}

/** The backend, or the reason for which none can be made. */
export type MakeBackend = (source: BackendSource) => MetricProvider | BackendProblem;

export type BackendTransport = Pick<AskOptions, 'timeoutMs' | 'insecureSkipVerify' | 'egress' | 'clock' | 'tls' | 'proxy' | 'retries'>;

/** The transport settings of a source. */
export function transportOf({ provider, timeoutMs, egress, clock, tls }: BackendSource): BackendTransport {
  const { insecureSkipVerify, proxy, retries } = provider;
  return { timeoutMs, insecureSkipVerify, egress, clock, tls, proxy, retries };
}

/**
 * Takes the place of a Secret if only a template is checked: it has all keys that `secretKeys` requires, and these keys, which are optional for some backends.
 */
export const anySecret: Readonly<Record<string, string>> = {
  ...{ username: 'any', password: 'any', token: 'any' },
  ...{ aws_access_key_id: 'any', aws_secret_access_key: 'any' },
};

/** The values of these keys of the Secret, or the names of missing keys. */
export function secretKeys<K extends string>(
  { secret, secretName, provider: { type } }: BackendSource,
  keys: readonly K[],
): Record<K, string> | { problem: string } {
  if (!secret) return { problem: `provider type ${type} needs spec.provider.secretRef: a Secret with ${keys.join(' and ')}` };
  const missing = secret === anySecret ? [] : keys.filter((key) => !secret[key]);
  if (missing.length > 0) return { problem: `Secret ${secretName} lacks ${missing.join(' and ')}, which provider type ${type} needs` };
  return Object.fromEntries(keys.map((key) => [key, secret[key] ?? 'any'])) as Record<K, string>;
}

/** The Secret of a backend that can do without credentials; undefined if it is only for TLS. */
export function optionalSecret({ secret }: BackendSource): BackendSource['secret'] {
  return isOnlyForTls(secret) ? undefined : secret;
}

/** The window of a backend that depends on the metric's interval, or the reason for which it is unknown. */
export function windowOf(source: BackendSource, intervals: number): number | { problem: string } {
  if (source.windowMs !== undefined) return source.windowMs;
  if (source.intervalMs !== undefined) return source.intervalMs * intervals;
  return { problem: `provider type ${source.provider.type} needs an interval such as 1m or 90s on the metric` };
}
