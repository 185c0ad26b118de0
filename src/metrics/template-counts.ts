import type { Canary, Metric } from '../api/canary.ts';
import { systemClock } from '../api/clock.ts';
import type { ToCompare } from '../judge/compared.ts';
import type { Counts } from '../judge/window.ts';
import type { Counted } from './counted.ts';
import type { MeasureDependencies } from './measure-dependencies.ts';
import type { MetricProvider } from './providers/metric-provider.ts';
import { renderQuery } from './query-template.ts';
import { queryVariables } from './query-variables.ts';
import { queuedBackend } from './queued-backend.ts';
import { shortened } from './shortened-query.ts';
import { templateBackend } from './template-backend.ts';
import { timedBackend } from './timed-backend.ts';

/** Undefined: the backend answered without a value. */
type Count = number | undefined;
type Unread = { reason: string };

/**
 * Requests and failures of both sides by `spec.counts` of a MetricTemplate. `{{ interval }}` is the window in whole seconds, rounded down, and a window ends when its last
 * query is answered: one that has waited for its turn counts what came meanwhile, and the next window must not count that twice. Backends differ in how the past is asked for: the history is empty.
 */
export async function templateCounts(
  canary: Canary,
  { metric: name, fromMs, learnMs }: ToCompare,
  deps: MeasureDependencies,
): Promise<Counted> {
  if (learnMs !== undefined) return { kind: 'history', primary: [] };
  const { nowMs, clock = systemClock } = deps;
  const metric = canary.spec.analysis.metrics?.find((one) => one.name === name && one.compare);
  if (!metric?.templateRef) return { kind: 'unknown', reason: `no metric ${name} has compare and templateRef` };
  const windowS = Math.floor((nowMs - fromMs) / 1000);
  if (windowS < 1) return { kind: 'unknown', reason: 'the window has only begun' };
  const beganMs = clock.monotonicMs();
  const read = await readSides(canary, { ...metric, interval: `${windowS}s` }, deps);
  const toMs = nowMs + Math.ceil(clock.monotonicMs() - beganMs);
  return 'reason' in read ? { kind: 'unknown', reason: read.reason } : { kind: 'window', window: { fromMs, toMs, ...read } };
}

async function readSides(canary: Canary, metric: Metric, deps: MeasureDependencies): Promise<{ canary: Counts; primary: Counts } | Unread> {
  const found = await templateBackend(metric, canary.metadata.namespace, deps);
  if ('problem' in found) return { reason: found.problem };
  const { namespace, name } = found.template;
  const { counts } = found;
  if (!counts) return { reason: `MetricTemplate ${namespace}/${name} has no spec.counts: set total and bad, or remove compare` };
  const backend = queuedBackend(timedBackend(found.type, found.backend, deps), deps);
  const variables = { ...queryVariables(canary, metric), ...(deps.route !== undefined && { route: deps.route }) };
  const targets = [variables.target, `${variables.target}-primary`];
  const queries = targets.flatMap((target) => [counts.total, counts.bad].map((query) => ({ query, target })));
  const read = await Promise.all(queries.map(({ query, target }) => countOf(backend, query, { ...variables, target }, deps)));
  const unread = read.find((one) => typeof one === 'object');
  deps.templateAsked?.(found.template, unread?.reason);
  if (unread) return { reason: `MetricTemplate ${namespace}/${name}: ${unread.reason}` };
  const [total, bad, primaryTotal, primaryBad] = read as Count[];
  if (total === undefined && primaryTotal === undefined)
    return { reason: `MetricTemplate ${namespace}/${name}: spec.counts.total gives no data for ${targets.join(', nor for ')}` };
  // A series of failures begins with the first one.
  return {
    canary: { requests: total ?? 0, failures: bad ?? 0 },
    primary: { requests: primaryTotal ?? 0, failures: primaryBad ?? 0 },
  };
}

async function countOf(
  backend: MetricProvider,
  template: string,
  variables: Parameters<typeof renderQuery>[1],
  { queryAsked, signal }: MeasureDependencies,
): Promise<Count | Unread> {
  const rendered = renderQuery(template, variables);
  if ('error' in rendered) return { reason: rendered.error };
  queryAsked?.(shortened(rendered.query));
  const measured = await backend.runQuery(rendered.query, signal);
  if (measured.kind === 'error') return { reason: measured.reason };
  // A sum over one counter that is NaN is NaN: failures that cannot be read are not none.
  if (measured.kind === 'noData' && !measured.isNaN) return undefined;
  const value = measured.kind === 'noData' ? Number.NaN : measured.value;
  return Number.isFinite(value) && value >= 0 ? value : { reason: `${value} cannot be a count; asked: ${shortened(rendered.query)}` };
}
