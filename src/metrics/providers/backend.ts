import type { AskOptions, BackendRequest } from '../http/ask.ts';
import type { AskCluster } from '../http/ask-cluster.ts';
import { baseUrl } from '../http/base-url.ts';
import type { QueryTemplate } from '../metric-template.ts';
import type { SampleChoice } from '../samples.ts';
import type { MetricProvider } from './metric-provider.ts';

/** All that a backend is made from, for one check. */
export interface BackendSource extends Pick<AskOptions, 'timeoutMs' | 'tls' | 'egress' | 'clock'> {
  /** `spec.provider` of the MetricTemplate. */
  provider: QueryTemplate['spec']['provider'];
  /** The namespace of the MetricTemplate. */
  namespace: string;
  /** Data of the Secret that it names, decoded and untrimmed; undefined where it names none. */
  secret: Readonly<Record<string, string>> | undefined;
  /** Name of that Secret with its namespace, for messages. */
  secretName: string;
  /** Length of the metric's interval in milliseconds; undefined where it is not a Go duration, which only some backends mind (05-T12). */
  intervalMs: number | undefined;
  /** How far back from now is asked, where the template says so; undefined: as the backend does. */
  windowMs: number | undefined;
  choice: SampleChoice;
  nowMs: number;
  /** The API server of the cluster, for the backends that live in it; absent where there is none, as on a command line. */
  askCluster?: AskCluster | undefined;
}

/** Why there can be no backend: a sentence for the user. `placed`: the same by the field of the MetricTemplate that decides it. */
export interface BackendProblem {
  problem: string;
  placed?: { field: string; message: string };
}

export const wrongAddress = wrongField('spec.provider.address', 'must be an http or https URL');

/** A problem of one field; the message is the rest of the sentence. */
export function wrongField(field: string, message: string): BackendProblem {
  return { problem: `${field} ${message}`, placed: { field, message } };
}

/** A request below the address of a template; or the problem of that address. */
export function requestTo(
  address: string,
  path: string,
  query: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>>,
): BackendRequest | BackendProblem {
  const url = baseUrl(address, path, query);
  return url ? { url, headers } : wrongAddress;
}

/** The backend, or why there can be none. */
export type MakeBackend = (source: BackendSource) => MetricProvider | BackendProblem;

export type BackendTransport = Pick<AskOptions, 'timeoutMs' | 'insecureSkipVerify' | 'egress' | 'clock' | 'tls' | 'proxy' | 'retries'>;

/** The transport settings of a source. */
export function transportOf({ provider, timeoutMs, egress, clock, tls }: BackendSource): BackendTransport {
  const { insecureSkipVerify, proxy, retries } = provider;
  return { timeoutMs, insecureSkipVerify, egress, clock, tls, proxy, retries };
}

/**
 * Stands for a Secret where a template alone is checked: it has whatever `secretKeys` asks for, and these keys, which some backends can do
 * without.
 */
export const anySecret: Readonly<Record<string, string>> = {
  ...{ username: 'any', password: 'any', token: 'any' },
  ...{ aws_access_key_id: 'any', aws_secret_access_key: 'any' },
};

/** The values of these keys of the Secret; or what is missing, by name. */
export function secretKeys<K extends string>(
  { secret, secretName, provider: { type } }: BackendSource,
  keys: readonly K[],
): Record<K, string> | { problem: string } {
  if (!secret) return { problem: `provider type ${type} needs spec.provider.secretRef: a Secret with ${keys.join(' and ')}` };
  const missing = secret === anySecret ? [] : keys.filter((key) => !secret[key]);
  if (missing.length > 0) return { problem: `Secret ${secretName} lacks ${missing.join(' and ')}, which provider type ${type} needs` };
  return Object.fromEntries(keys.map((key) => [key, secret[key] ?? 'any'])) as Record<K, string>;
}

/** The window of a backend that goes by the metric's interval; or why it is unknown (05-T12). */
export function windowOf(source: BackendSource, intervals: number): number | { problem: string } {
  if (source.windowMs !== undefined) return source.windowMs;
  if (source.intervalMs !== undefined) return source.intervalMs * intervals;
  return { problem: `provider type ${source.provider.type} needs an interval such as 1m or 90s on the metric` };
}
