import type { ZodError } from 'zod';
import type { Metric } from '../api/canary.ts';
import { parseDuration } from '../api/duration.ts';
import { RefusedSecret } from '../api/secret-use.ts';
import { tlsFiles } from './http/tls-files.ts';
import type { MeasureDependencies } from './measure-dependencies.ts';
import { MetricTemplate } from './metric-template.ts';
import { backendFor } from './providers/index.ts';
import type { MetricProvider } from './providers/metric-provider.ts';
import { defaultInterval } from './query-variables.ts';

/** The backend of a metric's template and its query; or why there is none, in words that name the template. Never throws. */
export async function templateBackend(
  metric: Metric,
  canaryNamespace: string,
  deps: Pick<
    MeasureDependencies,
    'template' | 'templateAsked' | 'noForeignRefs' | 'secret' | 'nowMs' | 'timeoutMs' | 'clock' | 'findWay' | 'askCluster'
  >,
): Promise<{ backend: MetricProvider; type: string; query: string; template: { namespace: string; name: string } } | { problem: string }> {
  const namespace = metric.templateRef?.namespace || canaryNamespace;
  const name = metric.templateRef?.name ?? '';
  const problem = (reason: string) => ({ problem: `MetricTemplate ${namespace}/${name}: ${reason}` });
  // Also here: the Canary was admitted a moment ago, and every use counts (05-T24, W16).
  if (deps.noForeignRefs && namespace !== canaryNamespace) return problem('it is in another namespace, which is forbidden');
  try {
    const found = await deps.template(namespace, name);
    if (found === undefined) return problem('not found; create it or correct templateRef');
    const template = MetricTemplate.safeParse(found);
    if (!template.success) return problem(unreadable(template.error));
    const backend = await make(template.data, namespace, metric, deps);
    if ('problem' in backend) deps.templateAsked?.({ namespace, name }, backend.problem);
    const { provider, query } = template.data.spec;
    return 'problem' in backend
      ? problem(backend.problem)
      : { backend, type: provider.type ?? 'prometheus', query, template: { namespace, name } };
  } catch {
    // The error of a failed read may quote the request: it is not shown.
    return problem('it or its Secret could not be read');
  }
}

function unreadable({ issues: [issue] }: ZodError): string {
  const field = issue?.path.join('.') ?? 'spec';
  return issue?.code === 'too_big' ? `${field} is too large: shorten it to ${issue.maximum}` : `${field} is missing or of the wrong type`;
}

async function make(
  { spec }: MetricTemplate,
  namespace: string,
  metric: Metric,
  {
    secret: read,
    nowMs,
    timeoutMs,
    clock,
    findWay,
    askCluster,
  }: Pick<MeasureDependencies, 'secret' | 'nowMs' | 'timeoutMs' | 'clock' | 'findWay' | 'askCluster'>,
): Promise<MetricProvider | { problem: string }> {
  const { provider, window, reduce, sample, strictNoData } = spec;
  const secretName = `${namespace}/${provider.secretRef?.name ?? ''}`;
  const secret = provider.secretRef && (await read(namespace, provider.secretRef.name, 'spec.provider.secretRef'));
  if (secret instanceof RefusedSecret) return { problem: secret.reason };
  if (provider.secretRef && !secret) return { problem: `Secret ${secretName} not found` };
  const { caSecretRef, timeout } = provider;
  const caSecret = caSecretRef && (await read(namespace, caSecretRef.name, 'spec.provider.caSecretRef'));
  if (caSecret instanceof RefusedSecret) return { problem: caSecret.reason };
  if (caSecretRef && !caSecret?.['ca.crt'])
    return { problem: `Secret ${namespace}/${caSecretRef.name} has no key ca.crt, or is not there` };
  const ownTimeoutMs = timeoutOf(timeout);
  if (typeof ownTimeoutMs === 'object') return ownTimeoutMs;
  const intervalMs = parseDuration(metric.interval || defaultInterval);
  const windowMs = window === undefined ? undefined : parseDuration(window);
  if (window !== undefined && windowMs === undefined) return { problem: `spec.window ${window} is not a duration such as 5m` };
  const choice = { reduce, sample, strictNoData };
  return backendFor({
    ...{ provider, namespace, secret, secretName, intervalMs, windowMs, choice, nowMs, clock, findWay, askCluster },
    timeoutMs: ownTimeoutMs ?? timeoutMs,
    tls: tlsFiles(secret, caSecret),
  });
}

const LONGEST_TIMEOUT_MS = 60_000;

/** Milliseconds of `spec.provider.timeout`; undefined where there is none. */
export function timeoutOf(text: string | undefined): number | undefined | { problem: string } {
  if (text === undefined) return undefined;
  const ms = parseDuration(text);
  return ms && ms <= LONGEST_TIMEOUT_MS
    ? ms
    : { problem: 'spec.provider.timeout must be a time above 0 and of at most 1m: write it as in 20s' };
}
