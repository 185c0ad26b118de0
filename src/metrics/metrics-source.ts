import type { Canary } from '../api/canary.ts';
import { RefusedSecret, type SecretData } from '../api/secret-use.ts';
import type { Clock } from '../base/clock.ts';
import { headerProblem } from '../base/request-header.ts';
import type { EgressPolicy } from '../outgoing/connection.ts';
import { isOnlyForTls, type TlsFiles, tlsFiles } from '../outgoing/tls-files.ts';
import type { MeasureDependencies } from './measure-dependencies.ts';
import { connecting, type MeasureProblem, type SeriesProvider } from './providers/metric-provider.ts';
import { type PrometheusOptions, prometheusAt } from './providers/prometheus.ts';

export type ServerDependencies = Pick<
  MeasureDependencies,
  'metricsServer' | 'metricsServerSecret' | 'secret' | 'timeoutMs' | 'clock' | 'egress' | 'ownEgress'
>;

/** The server of a Canary's built-in and inline queries: its own with its Secret, or the global server with the Secret of the flag. */
export function serverOf({ spec, metadata }: Canary, deps: ServerDependencies): SeriesProvider {
  const { metricsServer: address, metricsServerSecretRef: ref } = spec;
  if (!address) return globalServer(deps);
  const name = `Secret ${metadata.namespace}/${ref?.name}`;
  const read = async () =>
    ref &&
    ((await deps.secret(metadata.namespace, ref.name, 'spec.metricsServerSecretRef')) ??
      new RefusedSecret(`${name} not found`, { isMissing: true }));
  const object = { apiVersion: 'v1', kind: 'Secret', name: ref?.name ?? '', namespace: metadata.namespace };
  return withSecret(name, read, ref ? { object } : {}, { address, timeoutMs: deps.timeoutMs, clock: deps.clock, egress: deps.egress });
}

/** The server of the flags. */
export function globalServer(deps: Omit<ServerDependencies, 'secret'>): SeriesProvider {
  const { metricsServer: address, metricsServerSecret: read, timeoutMs, clock, ownEgress } = deps;
  return withSecret('--metrics-server-secret', async () => read?.(), {}, { address, timeoutMs, clock, egress: ownEgress });
}

/** Read for each query: a rotated credential counts at once. */
function withSecret(
  name: string,
  read: () => Promise<SecretData | RefusedSecret | undefined>,
  about: Pick<MeasureProblem, 'object'>,
  options: { address: string; timeoutMs: number; clock: Clock | undefined; egress: EgressPolicy | undefined },
): SeriesProvider {
  const connect = async () => {
    try {
      const data = await read();
      if (data === undefined) return prometheusAt(options);
      if (data instanceof RefusedSecret)
        return { reason: data.reason, code: data.isMissing ? 'SecretNotFound' : 'SecretRejected', ...about } as const;
      const credentials = credentialsOf(data);
      return 'problem' in credentials ? { reason: `${name} ${credentials.problem}` } : prometheusAt({ ...options, ...credentials });
    } catch {
      // The error of a failed read could quote the content.
      return { reason: `${name} could not be read` };
    }
  };
  return {
    ...connecting(connect),
    async readSeries(query, signal) {
      const server = await connect();
      return 'reason' in server ? { kind: 'error', ...server } : server.readSeries(query, signal);
    },
  };
}

type Credentials = Pick<PrometheusOptions, 'bearer' | 'basicAuth' | 'headers'> & { tls?: TlsFiles };

/** `token`, or `username` and `password`; `header.NAME`; `ca.crt`, `tls.crt` and `tls.key`. Line ends at the end are not part of a value. */
function credentialsOf(data: SecretData): Credentials | { problem: string } {
  const { token, username, password } = Object.fromEntries(Object.entries(data).map(([key, value]) => [key, value.trim()]));
  const headers = Object.fromEntries(
    Object.entries(data).flatMap(([key, value]) => (key.startsWith('header.') ? [[key.slice('header.'.length), [value.trim()]]] : [])),
  );
  const tls = tlsFiles(data);
  for (const [name, values] of Object.entries(headers)) {
    const problem = headerProblem(name, values);
    if (problem !== undefined) return { problem: `has a key header.${name.slice(0, 80)} that makes no header: it ${problem}` };
  }
  if (!token && Boolean(username) !== Boolean(password)) return { problem: `has username and password not both` };
  if (!token && !username && Object.keys(headers).length === 0) {
    if (!tls) return { problem: 'has neither token, username and password, header.NAME, ca.crt, nor tls.crt and tls.key' };
    if (!isOnlyForTls(data))
      return {
        problem:
          'has a key besides ca.crt, tls.crt and tls.key that is neither token, username, password nor header.NAME: correct its name',
      };
  }
  return {
    ...(token && { bearer: token }),
    ...(!token && username && password ? { basicAuth: { username, password } } : {}),
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(tls && { tls }),
  };
}
