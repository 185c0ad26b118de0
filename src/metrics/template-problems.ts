import { parseDuration } from '../api/duration.ts';
import type { MetricTemplateSpec } from '../api/metric-template.ts';
import type { Problem } from '../api/problem.ts';
import { baseUrl } from './http/base-url.ts';
import { anySecret, type BackendProblem } from './providers/backend.ts';
import { foreignNamespaceProblem } from './providers/cluster-query.ts';
import { readExternalQuery } from './providers/externalmetrics.ts';
import { backendFor } from './providers/index.ts';
import { readKeptnQuery } from './providers/keptn-query.ts';
import { readMetricDataQueries } from './providers/metric-data-query.ts';
import { splunkUrls } from './providers/splunk.ts';
import { checkTemplate } from './query-template.ts';
import { timeoutOf } from './template-backend.ts';

/** Errors of a MetricTemplate that no Secret can repair: the field, and its defect. `namespace`: its own, where it is known. */
export function templateProblems({ provider, query, counts, window }: MetricTemplateSpec, namespace?: string): Problem[] {
  const problems: Problem[] = [];
  const add = (path: string, message: string) => problems.push({ path, message });
  const windowMs = window === undefined ? undefined : parseDuration(window);
  if (window !== undefined && !windowMs)
    add('spec.window', `is ${JSON.stringify(window.slice(0, 40))}, which is not a time above 0: write it as in 5m or 90s`);
  const timeout = timeoutOf(provider.timeout);
  if (typeof timeout === 'object') problems.push(placed(timeout));
  if (provider.proxy !== undefined && baseUrl(provider.proxy, '') === undefined)
    add('spec.provider.proxy', 'must be an http or https URL: write it as in http://proxy.namespace:3128');
  const backend = backendWith(provider, anySecret, windowMs);
  if ('problem' in backend) problems.push(placed(backend));
  else if (addressProblem(provider))
    add('spec.provider.address', 'is not an address that can be queried: write it as in http://name.namespace:9090');
  for (const [path, text] of Object.entries({ 'spec.query': query, 'spec.counts.total': counts?.total, 'spec.counts.bad': counts?.bad })) {
    if (text === undefined) continue;
    const wrong = text.trim() === '' ? 'is empty: write the query' : (checkTemplate(text) ?? queryProblem(provider, text, namespace));
    if (wrong) add(path, wrong);
  }
  return problems;
}

/** The same of one Secret: the keys that it lacks. */
export function secretProblems({ provider }: Pick<MetricTemplateSpec, 'provider'>, secret: Readonly<Record<string, string>>): Problem[] {
  if ('problem' in backendWith(provider, anySecret)) return [];
  const backend = backendWith(provider, secret);
  return 'problem' in backend ? [{ path: 'spec.provider.secretRef.name', message: backend.problem }] : [];
}

function backendWith(provider: MetricTemplateSpec['provider'], secret: Readonly<Record<string, string>>, windowMs?: number) {
  return backendFor({
    provider,
    namespace: '',
    secret: provider.secretRef && secret,
    secretName: provider.secretRef?.name ?? '',
    intervalMs: 60_000,
    windowMs,
    choice: {},
    nowMs: 0,
    timeoutMs: 0,
  });
}

function placed({ problem, placed: at }: BackendProblem): Problem {
  return at ? { path: at.field, message: at.message } : { path: 'spec.provider', message: problem };
}

function addressProblem({ type, address }: MetricTemplateSpec['provider']): boolean {
  if (!address || type === 'keptn' || type === 'cloudwatch' || type === 'stackdriver') return false;
  return type === 'splunk' ? splunkUrls(address) === undefined : baseUrl(address, '') === undefined;
}

/** Errors of queries that Serin parses itself, placeholders aside. */
function queryProblem({ type, address }: MetricTemplateSpec['provider'], query: string, namespace?: string): string | undefined {
  if (query.includes('{{')) return undefined;
  if (type === 'cloudwatch') {
    const read = readMetricDataQueries(query);
    return 'problem' in read ? read.problem : undefined;
  }
  if (type !== 'externalmetrics' && type !== 'keptn') return undefined;
  const read = type === 'keptn' ? readKeptnQuery(query) : readExternalQuery(query, namespace);
  if ('problem' in read) return read.problem;
  const isOwn = namespace === undefined || (type === 'externalmetrics' && Boolean(address));
  return isOwn ? undefined : foreignNamespaceProblem(read.namespace, namespace);
}
