import type { ZodError } from 'zod';
import type { BlockedObject } from '../api/blocker.ts';
import { apiVersion, type Metric } from '../api/canary.ts';
import { parseDuration } from '../api/duration.ts';
import type { MetricTemplateSpec } from '../api/metric-template.ts';
import { RefusedSecret } from '../api/secret-use.ts';
import { tlsFiles } from '../outgoing/tls-files.ts';
import type { MeasureDependencies } from './measure-dependencies.ts';
import { QueryTemplate } from './metric-template.ts';
import { type BackendProblem, wrongField } from './providers/backend.ts';
import { backendFor } from './providers/index.ts';
import type { MeasureProblem, MetricProvider } from './providers/metric-provider.ts';
import { defaultInterval } from './query-variables.ts';

/** Reason for which a template cannot be queried, and the code, object and field for the verdict. */
type TemplateProblem = { problem: string } & MeasureProblem;

interface FoundTemplate {
  backend: MetricProvider;
  type: string;
  query: string;
  /** Its address is in the template, and not that of a vendor. */
  hasAddress: boolean;
  /** Queries that count the requests of a side and its failed requests. */
  counts: MetricTemplateSpec['counts'];
  template: { namespace: string; name: string };
}

/** Dependencies of the backend of a template. */
export type TemplateDependencies = Pick<
  MeasureDependencies,
  'template' | 'templateAsked' | 'noForeignRefs' | 'secret' | 'nowMs' | 'timeoutMs' | 'clock' | 'egress' | 'askCluster'
>;

/** The backend of a metric's template and its query, or the reason for which it cannot be made, in words that name the template. Never throws. */
export async function templateBackend(
  metric: Metric,
  canaryNamespace: string,
  deps: TemplateDependencies,
): Promise<FoundTemplate | TemplateProblem> {
  const namespace = metric.templateRef?.namespace || canaryNamespace;
  const name = metric.templateRef?.name ?? '';
  const problem = (reason: string, why: MeasureProblem = {}): TemplateProblem => ({
    problem: `MetricTemplate ${namespace}/${name}: ${reason}`,
    ...why,
  });
  const object = metricTemplate(namespace, name);
  // Also checked here: the Canary was admitted earlier, and every use counts.
  if (deps.noForeignRefs && namespace !== canaryNamespace) return problem('it is in another namespace, which is forbidden');
  try {
    const found = await deps.template(namespace, name);
    if (found === undefined) return problem('not found; create it or correct templateRef', { code: 'TemplateNotFound', object });
    const template = QueryTemplate.safeParse(found);
    if (!template.success) {
      const { field, message } = unreadable(template.error);
      return problem(`${field} ${message}`, { code: 'QueryInvalid', object, field });
    }
    const backend = await make(template.data, namespace, metric, deps);
    if ('problem' in backend) deps.templateAsked?.({ namespace, name }, backend.problem);
    const { provider, query, counts } = template.data.spec;
    return 'problem' in backend
      ? problem(backend.problem, whyOf(backend, object))
      : {
          backend,
          type: provider.type ?? 'prometheus',
          query,
          hasAddress: provider.address !== undefined,
          counts,
          template: { namespace, name },
        };
  } catch {
    // The error of a failed read could quote the request: it is not shown.
    return problem('it or its Secret could not be read');
  }
}

/** The MetricTemplate as the object that blocks a release. */
export const metricTemplate = (namespace: string, name: string): BlockedObject => ({
  apiVersion,
  kind: 'MetricTemplate',
  name,
  namespace,
});

/** The Secret that is missing or refused, or the field of the template. */
function whyOf({ placed, ...why }: BackendProblem & MeasureProblem, object: BlockedObject): MeasureProblem {
  if (placed) return { code: 'QueryInvalid', object, field: placed.field };
  return { ...(why.code && { code: why.code }), ...(why.object && { object: why.object }), ...(why.field && { field: why.field }) };
}

function unreadable({ issues: [issue] }: ZodError): { field: string; message: string } {
  const field = issue?.path.join('.') ?? 'spec';
  const message = issue?.code === 'too_big' ? `is too large: shorten it to ${issue.maximum}` : 'is missing or of the wrong type';
  return { field, message };
}

async function make(
  { spec }: QueryTemplate,
  namespace: string,
  metric: Metric,
  { secret: read, nowMs, timeoutMs, clock, egress, askCluster }: TemplateDependencies,
): Promise<MetricProvider | (BackendProblem & MeasureProblem)> {
  const { provider, window, reduce, sample, strictNoData } = spec;
  const secretName = `${namespace}/${provider.secretRef?.name ?? ''}`;
  const secret = provider.secretRef && (await read(namespace, provider.secretRef.name, 'spec.provider.secretRef'));
  const secretObject = (secretOf: string): BlockedObject => ({ apiVersion: 'v1', kind: 'Secret', name: secretOf, namespace });
  const refused = ({ reason }: RefusedSecret, secretOf = '') =>
    ({ problem: reason, code: 'SecretRejected', object: secretObject(secretOf) }) as const;
  if (secret instanceof RefusedSecret) return refused(secret, provider.secretRef?.name);
  if (provider.secretRef && !secret)
    return { problem: `Secret ${secretName} not found`, code: 'SecretNotFound', object: secretObject(provider.secretRef.name) };
  const { caSecretRef, timeout } = provider;
  const caSecret = caSecretRef && (await read(namespace, caSecretRef.name, 'spec.provider.caSecretRef'));
  if (caSecret instanceof RefusedSecret) return refused(caSecret, caSecretRef?.name);
  if (caSecretRef && !caSecret?.['ca.crt'])
    return { problem: `Secret ${namespace}/${caSecretRef.name} is not found, or has no key ca.crt` };
  const ownTimeoutMs = timeoutOf(timeout);
  if (typeof ownTimeoutMs === 'object') return ownTimeoutMs;
  const intervalMs = parseDuration(metric.interval || defaultInterval);
  const windowMs = window === undefined ? undefined : parseDuration(window);
  if (window !== undefined && windowMs === undefined) return wrongField('spec.window', `${window} is not a duration such as 5m`);
  const choice = { reduce, sample, strictNoData };
  return backendFor({
    ...{ provider, namespace, secret, secretName, intervalMs, windowMs, choice, nowMs, clock, egress, askCluster },
    timeoutMs: ownTimeoutMs ?? timeoutMs,
    tls: tlsFiles(secret, caSecret),
  });
}

const LONGEST_TIMEOUT_MS = 60_000;

/** Milliseconds of `spec.provider.timeout`; undefined if it is not set. */
export function timeoutOf(text: string | undefined): number | undefined | BackendProblem {
  if (text === undefined) return undefined;
  const ms = parseDuration(text);
  return ms && ms <= LONGEST_TIMEOUT_MS
    ? ms
    : wrongField('spec.provider.timeout', 'must be a time above 0 and of at most 1m: write it as in 20s');
}
