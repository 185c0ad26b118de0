import type { Canary, Metric } from '../api/canary.ts';
import { systemClock } from '../base/clock.ts';
import type { ToCompare } from '../judge/compared.ts';
import type { Counts } from '../judge/window.ts';
import type { Counted } from './counter-counts.ts';
import { type Side, sides } from './counter-query.ts';
import type { MeasureDependencies } from './measure-dependencies.ts';
import { type MetricSource, namesOf, sourceOf } from './source.ts';
import { templateBackend } from './template-backend.ts';

/** Undefined if the backend answered without a value. */
type Count = number | undefined;
type Unread = { reason: string };

/**
 * Requests and failures of both sides by `spec.counts` of a MetricTemplate. `{{ interval }}` is the window in whole seconds, rounded down, and a window ends
 * when its last query is answered: a query that has waited for its turn also counts requests of that time, and the next window must not count them twice.
 * Backends differ in queries of the past: the history is empty.
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
  const source = sourceOf({ type: found.type, provider: found.backend }, namesOf(canary, metric, deps.route), deps);
  const queries = sides.flatMap((side) => [counts.total, counts.bad].map((query) => ({ query, side })));
  const read = await Promise.all(queries.map(({ query, side }) => countOf(source, query, side)));
  const unread = read.find((one) => typeof one === 'object');
  if (!deps.signal.aborted) deps.templateAsked?.(found.template, unread?.reason);
  if (unread) return { reason: `MetricTemplate ${namespace}/${name}: ${unread.reason}` };
  const [total, bad, primaryTotal, primaryBad] = read as Count[];
  const target = canary.spec.targetRef.name;
  if (total === undefined && primaryTotal === undefined)
    return { reason: `MetricTemplate ${namespace}/${name}: spec.counts.total gives no data for ${target}, nor for ${target}-primary` };
  // A series of failures begins with the first failure.
  return {
    canary: { requests: total ?? 0, failures: bad ?? 0 },
    primary: { requests: primaryTotal ?? 0, failures: primaryBad ?? 0 },
  };
}

async function countOf(source: MetricSource, query: string, side: Side): Promise<Count | Unread> {
  const measured = await source.ask(query, side);
  if (measured.kind === 'error') return { reason: measured.reason };
  // A sum over a counter that is NaN is NaN: failures that cannot be read do not count as none.
  if (measured.kind === 'noData' && !measured.isNaN) return undefined;
  const value = measured.kind === 'noData' ? Number.NaN : measured.value;
  return Number.isFinite(value) && value >= 0 ? value : { reason: `${value} cannot be a count; query: ${source.shown(query, side)}` };
}
