import type { Canary, Metric } from '../api/canary.ts';
import type { Verdict } from '../api/canary-status.ts';
import { namesPlaceholder } from '../api/placeholder.ts';
import { requestsText } from '../api/routed-text.ts';
import { defined } from '../base/defined.ts';
import type { Compared, ToCompare } from '../judge/compared.ts';
import { askBuiltin, builtinKind, type RunQuery } from './built-in.ts';
import { byCounters, type Counted } from './counter-counts.ts';
import { judgeMeasurement } from './judge-measurement.ts';
import type { MetricKind } from './limit.ts';
import type { MeasureDependencies } from './measure-dependencies.ts';
import { delayed, measuredWindow } from './measured-window.ts';
import { serverOf } from './metrics-source.ts';
import { type BuiltInMetric, withReason } from './no-traffic.ts';
import type { Measurement } from './providers/metric-provider.ts';
import { namesOf, observedNames, observerOf, sourceOf, type TypedBackend } from './source.ts';
import { metricTemplate, templateBackend } from './template-backend.ts';
import { templateCounts } from './template-counts.ts';

type Check = (deps: MeasureDependencies) => Promise<Verdict>;

/**
 * One verdict for each check, in Flagger's order: built-in and inline queries as listed, then templates. All run at the same time, so that a failed
 * check does not hide the others. Never throws; a check that cannot be measured is `unmeasured` (I11).
 */
export async function measure(canary: Canary, deps: MeasureDependencies): Promise<Verdict[]> {
  const metrics = canary.spec.analysis.metrics ?? [];
  const checks = [queryChecks, templateChecks].flatMap((checksOf) =>
    metrics.flatMap((metric) => checksOf(canary, metric).map((check) => guarded(canary, metric, check))),
  );
  return unlessContradicted(await Promise.all(checks.map((check) => check(deps))));
}

/**
 * Counts of both sides, one answer for each question, in their order: the other kind of check. They are judged together with those of the whole release (E122).
 * `errors` and `latency` take one query of the Canary's Prometheus each, a metric with a MetricTemplate four of its backend. Never throws: counts that cannot
 * be read are `unknown` (I11).
 */
export async function compare(canary: Canary, toCompare: readonly ToCompare[], deps: MeasureDependencies): Promise<Compared[]> {
  const counted = async (one: ToCompare): Promise<Counted> => {
    try {
      return await (one.metric === 'errors' || one.metric === 'latency' ? byCounters : templateCounts)(canary, one, deps);
    } catch {
      return { kind: 'unknown', reason: 'the counts could not be read' };
    }
  };
  return Promise.all(toCompare.map(async (one): Promise<Compared> => ({ metric: one.metric, ...(await counted(one)) })));
}

/** No check says that there was no traffic where another check of the moment has counted requests. */
function unlessContradicted(verdicts: Verdict[]): Verdict[] {
  const counting = verdicts.find(({ requests = 0 }) => requests > 0);
  if (counting === undefined) return verdicts;
  const counted = `${counting.check} counted ${requestsText(counting.requests ?? 0)}`;
  return verdicts.map((one) =>
    one.code === 'NoTraffic' ? { ...one, code: 'QueryEmpty', reason: `${one.reason}, while ${counted}` } : one,
  );
}

/** Waits for the initial delay, and marks a metric that only observes. */
function guarded(canary: Canary, metric: Metric, check: Check): Check {
  const asked: Check = async (deps) => delayed(metric, canary.status?.release, deps.nowMs) ?? (await check(deps));
  return metric.mode === 'observe' ? async (deps) => ({ ...(await asked(deps)), observed: true }) : asked;
}

function queryChecks(canary: Canary, metric: Metric): Check[] {
  const checks: Check[] = [];
  const { query } = metric;
  const kind = builtinKind(metric);
  if (kind) checks.push((deps) => builtinVerdict(canary, metric, kind, deps));
  if (query) checks.push((deps) => inlineVerdict(canary, metric, query, deps));
  return checks;
}

function templateChecks(canary: Canary, metric: Metric): Check[] {
  if (metric.templateRef) return [(deps) => templateVerdict(canary, metric, deps)];
  if (builtinKind(metric) || metric.query) return [];
  return [async () => unmeasurable(metric, { reason: 'it has neither query nor templateRef and is not a built-in metric' })];
}

const unmeasurable = (metric: Metric, why: Omit<Extract<Measurement, { kind: 'error' }>, 'kind'>): Verdict =>
  judgeMeasurement(metric, 'custom', { kind: 'error', ...why });

const serverBackend = (canary: Canary, deps: MeasureDependencies): TypedBackend => ({
  type: 'prometheus',
  provider: serverOf(canary, deps),
  ...(canary.spec.metricsServer && { server: { field: 'spec.metricsServer' } }),
});

function builtinVerdict(canary: Canary, metric: Metric, kind: Exclude<MetricKind, 'custom'>, deps: MeasureDependencies): Promise<Verdict> {
  const observer = observerOf(canary, deps);
  return verdictOf(canary, metric, deps, {
    kind,
    backend: serverBackend(canary, deps),
    value: (run) => askBuiltin(kind, observer, metric, run),
    requestCount: observer.requestCount,
    series: {
      ...observer.series,
      metric: kind === 'successRate' ? observer.series.requests : observer.series.durations,
      ...(canary.spec.metricsServer && { field: 'spec.metricsServer' }),
    },
    choosesSide: observer.selectsWorkload,
  });
}

const customVerdict = (canary: Canary, metric: Metric, query: string, backend: TypedBackend, deps: MeasureDependencies): Promise<Verdict> =>
  verdictOf(canary, metric, deps, {
    kind: 'custom',
    backend,
    value: (run) => run(query),
    choosesSide: namesPlaceholder(query, 'target'),
    query,
  });

function inlineVerdict(canary: Canary, metric: Metric, query: string, deps: MeasureDependencies): Promise<Verdict> {
  const index = canary.spec.analysis.metrics?.indexOf(metric) ?? -1;
  const place = index < 0 ? {} : { field: `spec.analysis.metrics[${index}].query` };
  return customVerdict(canary, metric, query, { ...serverBackend(canary, deps), place }, deps);
}

async function templateVerdict(canary: Canary, metric: Metric, deps: MeasureDependencies): Promise<Verdict> {
  const found = await templateBackend(metric, canary.metadata.namespace, deps);
  if ('problem' in found) {
    const { problem: reason, ...why } = found;
    return unmeasurable(metric, { reason, ...why });
  }
  const { type, backend: provider, query, template } = found;
  const answered = (measured: Measurement) => deps.templateAsked?.(template, measured.kind === 'error' ? measured.reason : undefined);
  const place = { object: metricTemplate(template.namespace, template.name), field: 'spec.query' };
  try {
    const server = found.hasAddress ? { object: place.object, field: 'spec.provider.address' } : undefined;
    return await customVerdict(canary, metric, query, { type, provider, answered, place, server }, deps);
  } catch {
    return unmeasurable(metric, { reason: `MetricTemplate ${metric.templateRef?.name}: the backend could not be queried` });
  }
}

/** Differences between a built-in metric and a metric with its own query. */
interface Asked {
  kind: MetricKind;
  backend: TypedBackend;
  /** The value of the side for which it runs. */
  value(run: RunQuery): Promise<Measurement>;
  /** Counts the requests in any case, unless the metric brings a query for its minimum. */
  requestCount?: string;
  /** The metric that its query counts in, to find out why it gave nothing. */
  series?: BuiltInMetric;
  /** Only `{{ target }}` selects the side, so that the same query can be run for the primary. */
  choosesSide: boolean;
  /** The metric's own query; absent for the queries of the provider. */
  query?: string;
}

/** The only path from the window of a check to its verdict: window, value, low traffic, baseline, judgement. */
async function verdictOf(canary: Canary, metric: Metric, deps: MeasureDependencies, asked: Asked): Promise<Verdict> {
  const { kind, backend, choosesSide, query } = asked;
  const { baseline } = metric;
  const isBuiltin = query === undefined;
  const observer = observerOf(canary, deps);
  const window = measuredWindow(metric, canary.status?.release, deps.nowMs, observer);
  const names = namesOf(canary, { ...metric, interval: window.interval }, deps.route);
  const source = sourceOf(backend, isBuiltin ? observedNames(observer, names) : names, deps);
  const run: RunQuery = (text) => source.ask(text, 'canary');
  const ofPrimary = choosesSide ? () => asked.value((text) => source.ask(text, 'primary')) : undefined;
  const { minimumRequests, trafficQuery = asked.requestCount } = metric;
  const countQuery = minimumRequests === undefined ? asked.requestCount : trafficQuery;
  const [measured, counted, primary] = await Promise.all([
    asked.value(run),
    countQuery === undefined ? undefined : run(countQuery),
    baseline ? askBaseline(baseline, run, ofPrimary) : isBuiltin && deps.baselines ? ofPrimary?.() : undefined,
  ]);
  const tooFew = lowTraffic(metric, counted);
  const requests = requestsIn(counted, measured);
  // A range that is written into the query is not cut.
  const isCut = window.isCut && (isBuiltin || namesPlaceholder(tooFew ? (metric.trafficQuery ?? '') : query, 'interval'));
  const found = tooFew ?? measured;
  const isOpen = found.kind === 'noData' && found.code === undefined && !isCut;
  const subject = { observer, names, primaryRoute: deps.primaryRoute, requests };
  const seen = isOpen && asked.series ? await withReason(found, asked.series, subject, source) : found;
  const verdict = { ...judgeMeasurement(metric, kind, seen, primary), ...(requests !== undefined && { requests }) };
  return isCut ? unlessEarly(verdict, [seen, baseline && primary]) : verdict;
}

/**
 * Reason for which too few requests are not evidence, if the metric sets a minimum; undefined with enough of them, or without a minimum. No request can also
 * mean no series. `counted`: the requests in the metric's window; absent if no query counts them.
 */
function lowTraffic({ minimumRequests }: Metric, counted: Measurement | undefined): Measurement | undefined {
  if (minimumRequests === undefined) return undefined;
  if (counted === undefined) return { kind: 'error', reason: 'minimumRequests needs trafficQuery, which counts the requests' };
  if (counted.kind === 'error') return { ...counted, reason: `the requests could not be counted: ${counted.reason}` };
  const requests = counted.kind === 'value' ? counted.value : 0;
  if (requests >= minimumRequests) return undefined;
  const { query } = counted.kind === 'noData' ? counted : { query: undefined };
  return defined({
    kind: 'noData',
    reason: `${shownCount(requests)} requests are too few to judge by, minimumRequests is ${minimumRequests}`,
    code: requests > 0 ? 'TooFewRequests' : undefined,
    query,
  });
}

/**
 * The number of requests that decided, for the verdict; undefined if it is not known. Prometheus extrapolates an increase to the whole window, so that the
 * number is approximate, with one decimal. Without a series of requests it is 0, unless a value was measured all the same. Decides nothing.
 */
function requestsIn(counted: Measurement | undefined, measured: Measurement): number | undefined {
  if (counted?.kind === 'noData') return measured.kind === 'noData' && !counted.isNaN ? 0 : undefined;
  return counted?.kind === 'value' && Number.isFinite(counted.value) && counted.value >= 0 ? shownCount(counted.value) : undefined;
}

const shownCount = (requests: number): number => Number(requests.toFixed(1));

/** The primary's value: by its own query, or by the canary's query with the primary's name. */
async function askBaseline(
  { query }: NonNullable<Metric['baseline']>,
  run: RunQuery,
  same: (() => Promise<Measurement>) | undefined,
): Promise<Measurement> {
  if (query) return run(query);
  return same?.() ?? { kind: 'error', reason: 'baseline needs a query, since that of the metric does not choose a side by its workload' };
}

/** An empty result in a shortened window means only that it is too early; an unreachable server does not. */
function unlessEarly(verdict: Verdict, seen: readonly (Measurement | undefined)[]): Verdict {
  const missing = seen.find((one) => one !== undefined && one.kind !== 'value');
  if (verdict.verdict !== 'unmeasured' || missing?.kind !== 'noData') return verdict;
  const reason = `${verdict.check} waits for samples of only this revision: the previous one was measured a moment ago`;
  const { code: _, query: __, ...early } = verdict;
  return { ...early, reason, early: true };
}
