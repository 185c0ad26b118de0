import type { Canary, Metric } from '../api/canary.ts';
import type { Verdict } from '../api/canary-status.ts';
import { parseDuration } from '../api/duration.ts';
import { observedProvider } from '../api/mesh-provider.ts';
import type { Observer } from '../api/observer.ts';
import { namesPlaceholder } from '../api/placeholder.ts';
import { askBaseline } from './baseline.ts';
import { delayed } from './initial-delay.ts';
import { judgeMeasurement } from './judge-measurement.ts';
import type { MetricKind } from './limit.ts';
import { lowTraffic } from './low-traffic.ts';
import type { MeasureDependencies } from './measure-dependencies.ts';
import { type MeasuredWindow, measuredWindow } from './measured-window.ts';
import { serverOf } from './metrics-source.ts';
import type { Measurement, MetricProvider } from './providers/metric-provider.ts';
import { type QueryVariables, renderQuery } from './query-template.ts';
import { queryVariables } from './query-variables.ts';
import { queuedBackend } from './queued-backend.ts';
import { shortened } from './shortened-query.ts';
import { metricTemplate, templateBackend } from './template-backend.ts';
import { timedBackend } from './timed-backend.ts';

type MeasureCheck = (deps: MeasureDependencies) => Promise<Verdict>;

/**
 * One verdict a check, in Flagger's order: built-in and inline queries as listed, then templates (05-E1). All are asked, at
 * the same time, so that a failed one does not hide the others. Never throws; what cannot be measured is `unmeasured` (I11).
 */
export async function measure(canary: Canary, deps: MeasureDependencies): Promise<Verdict[]> {
  const metrics = canary.spec.analysis.metrics ?? [];
  const checks = [
    ...metrics.flatMap((metric) => queryChecks(canary, metric).map((check) => inItsWay(canary, metric, check))),
    ...metrics.flatMap((metric) => templateChecks(canary, metric).map((check) => inItsWay(canary, metric, check))),
  ];
  return Promise.all(checks.map((check) => check(deps)));
}

/** Not before its initial delay is over, and only to be looked at where the metric wants no more (05-W28). */
function inItsWay(canary: Canary, metric: Metric, check: MeasureCheck): MeasureCheck {
  const asked: MeasureCheck = async (deps) => delayed(metric, canary.status?.release, deps.nowMs) ?? (await check(deps));
  return metric.mode === 'observe' ? async (deps) => ({ ...(await asked(deps)), observed: true }) : asked;
}

const builtins: Readonly<Record<string, MetricKind>> = { 'request-success-rate': 'successRate', 'request-duration': 'duration' };

/** Judged by the queries of the traffic provider, whatever else the metric names. */
export const isBuiltin = (metric: Metric): boolean => builtinKind(metric) !== undefined;

/** Undefined: the metric brings a query or a template of its own. */
export function builtinKind(metric: Metric): MetricKind | undefined {
  return Object.hasOwn(builtins, metric.name) ? builtins[metric.name] : undefined;
}

function queryChecks(canary: Canary, metric: Metric): MeasureCheck[] {
  const checks: MeasureCheck[] = [];
  const kind = builtinKind(metric);
  if (kind) checks.push((deps) => builtinVerdict(canary, metric, kind, deps));
  if (metric.query) checks.push((deps) => inlineVerdict(canary, metric, metric.query ?? '', deps));
  return checks;
}

function templateChecks(canary: Canary, metric: Metric): MeasureCheck[] {
  if (metric.templateRef) return [(deps) => templateVerdict(canary, metric, deps)];
  if (builtinKind(metric) || metric.query) return [];
  const reason = 'it has neither query nor templateRef and is not a built-in metric';
  return [async () => judgeMeasurement(metric, 'custom', { kind: 'error', reason })];
}

export const observerOf = ({ spec }: Canary, deps: Pick<MeasureDependencies, 'observerFor' | 'meshProvider'>): Observer =>
  deps.observerFor(observedProvider(spec.provider, deps.meshProvider), spec.targetRef.kind);

async function builtinVerdict(canary: Canary, metric: Metric, kind: MetricKind, deps: MeasureDependencies): Promise<Verdict> {
  const observer = observerOf(canary, deps);
  const server = timedServer(canary, deps);
  const window = measuredWindow(metric, canary.status?.release, deps.nowMs, observer);
  const variables = nameRules(observer, variablesOf(canary, { ...metric, interval: window.interval }, deps));
  const runFor = (target: string) => (query: string) => askServer(server, query, { ...variables, target }, deps);
  const ask = async (run: (query: string) => Promise<Measurement>) =>
    kind === 'successRate' ? askSuccessRate(observer, run) : askDuration(observer, metric, run);
  const run = runFor(variables.target);
  const same = observer.selectsWorkload ? () => ask(runFor(`${variables.target}-primary`)) : undefined;
  const [measured, tooFew, primary] = await Promise.all([
    ask(run),
    lowTraffic(metric, metric.trafficQuery ?? observer.requestCount, run),
    metric.baseline ? askBaseline(metric.baseline, run, same) : deps.baselines ? same?.() : undefined,
  ]);
  const seen = tooFew ?? measured;
  return unlessEarly(window, [seen, metric.baseline && primary], judgeMeasurement(metric, kind, seen, primary));
}

async function inlineVerdict(canary: Canary, metric: Metric, query: string, deps: MeasureDependencies): Promise<Verdict> {
  const verdict = await customVerdict(timedServer(canary, deps), canary, metric, query, deps);
  const index = canary.spec.analysis.metrics?.indexOf(metric) ?? -1;
  return index < 0 ? verdict : withPlace(verdict, { field: `spec.analysis.metrics[${index}].query` });
}

/** Where a query is to be corrected that cannot be used. */
function withPlace(verdict: Verdict, place: Pick<Verdict, 'object' | 'field'>): Verdict {
  return verdict.code === 'QueryInvalid' && verdict.field === undefined ? { ...verdict, ...place } : verdict;
}

async function customVerdict(
  server: MetricProvider,
  canary: Canary,
  metric: Metric,
  query: string,
  deps: MeasureDependencies,
): Promise<Verdict> {
  const window = measuredWindow(metric, canary.status?.release, deps.nowMs, observerOf(canary, deps));
  const variables = variablesOf(canary, { ...metric, interval: window.interval }, deps);
  const runFor = (target: string) => (text: string) => askServer(server, text, { ...variables, target }, deps);
  const run = runFor(variables.target);
  const same = namesPlaceholder(query, 'target') ? () => runFor(`${variables.target}-primary`)(query) : undefined;
  const [measured, tooFew, primary] = await Promise.all([
    run(query),
    lowTraffic(metric, metric.trafficQuery, run),
    metric.baseline && askBaseline(metric.baseline, run, same),
  ]);
  const seen = tooFew ?? measured;
  const verdict = judgeMeasurement(metric, 'custom', seen, primary);
  // A range that is written into the query stays as it is.
  return namesPlaceholder(tooFew ? (metric.trafficQuery ?? '') : query, 'interval')
    ? unlessEarly(window, [seen, primary], verdict)
    : verdict;
}

async function templateVerdict(canary: Canary, metric: Metric, deps: MeasureDependencies): Promise<Verdict> {
  const found = await templateBackend(metric, canary.metadata.namespace, deps);
  if ('problem' in found) {
    const { problem: reason, ...why } = found;
    return judgeMeasurement(metric, 'custom', { kind: 'error', reason, ...why });
  }
  const timed = timedBackend(found.type, found.backend, deps);
  const reported: MetricProvider = {
    ...timed,
    async runQuery(query, signal) {
      const measured = await timed.runQuery(query, signal);
      if (!signal.aborted) deps.templateAsked?.(found.template, measured.kind === 'error' ? measured.reason : undefined);
      return measured;
    },
  };
  try {
    const verdict = await customVerdict(queuedBackend(reported, deps), canary, metric, found.query, deps);
    const { namespace, name } = found.template;
    return withPlace(verdict, { object: metricTemplate(namespace, name), field: 'spec.query' });
  } catch {
    const reason = `MetricTemplate ${metric.templateRef?.name}: the backend could not be asked`;
    return judgeMeasurement(metric, 'custom', { kind: 'error', reason });
  }
}

const timedServer = (canary: Canary, deps: MeasureDependencies): MetricProvider =>
  queuedBackend(timedBackend('prometheus', serverOf(canary, deps), deps), deps);

function variablesOf(canary: Canary, metric: Metric, { route }: MeasureDependencies): QueryVariables {
  const variables = queryVariables(canary, metric);
  return route === undefined ? variables : { ...variables, route };
}

async function askServer(
  server: MetricProvider,
  template: string,
  variables: QueryVariables,
  deps: MeasureDependencies,
): Promise<Measurement> {
  const rendered = renderQuery(template, variables);
  if ('error' in rendered) return { kind: 'error', reason: rendered.error, code: 'QueryInvalid' };
  deps.queryAsked?.(shortened(rendered.query));
  const measured = await server.runQuery(rendered.query, deps.signal);
  // A query that is wrong and one without traffic look alike: the reason shows the query (05-W33).
  if (measured.kind !== 'noData') return measured;
  const hint = narrowWindow(rendered.query, variables.interval);
  return { ...measured, reason: `${measured.reason}; asked: ${shortened(rendered.query)}${hint}` };
}

/** Prometheus scrapes once a minute by default, and a rate needs two samples (05-W32). */
const TWO_SCRAPES_MS = 120_000;

function narrowWindow(query: string, interval: string): string {
  const ms = parseDuration(interval) ?? TWO_SCRAPES_MS;
  if (ms >= TWO_SCRAPES_MS || !query.includes(`[${interval}]`) || !/\b(i?rate|increase|i?delta)\s*\(/.test(query)) return '';
  return `; a rate needs two samples within ${interval}, so targets have to be scraped every ${ms / 2000}s at least`;
}

/** An empty result in a shortened window means only that it is too early; an unreachable server does not. */
function unlessEarly({ isCut }: MeasuredWindow, seen: readonly (Measurement | undefined)[], verdict: Verdict): Verdict {
  const missing = seen.find((one) => one !== undefined && one.kind !== 'value');
  if (!isCut || verdict.verdict !== 'unmeasured' || missing?.kind !== 'noData') return verdict;
  const reason = `${verdict.check} waits for samples of this revision alone: the one before was measured a moment ago`;
  const { code: _, ...early } = verdict;
  return { ...early, reason, early: true };
}

/** When every request fails, no series of successes exists, and the quotient is as empty as without traffic (05-B38, W36). */
async function askSuccessRate(observer: Observer, run: (query: string) => Promise<Measurement>): Promise<Measurement> {
  const rate = await run(observer.requestSuccessRate);
  if (rate.kind !== 'noData') return rate;
  const failures = await run(observer.onlyFailures);
  return failures.kind === 'value' && failures.value > 0 ? { kind: 'value', value: 0 } : rate;
}

/** Names as the provider writes them in its labels. */
export function nameRules(observer: Observer, variables: QueryVariables): QueryVariables {
  if (!observer.underscoreNames) return variables;
  const clean = (text: string) => text.replace(/[^0-9A-Za-z_]/g, '_');
  const named = ['name', 'namespace', 'target', 'service', 'ingress'] as const;
  return { ...variables, ...Object.fromEntries(named.map((field) => [field, clean(variables[field])])) };
}

/** Flagger's statistic of the provider, unless the metric names a quantile (05-W12). */
async function askDuration(observer: Observer, metric: Metric, run: (query: string) => Promise<Measurement>): Promise<Measurement> {
  const { quantile, wholeMilliseconds = true } = metric;
  const measured = await run(quantile === undefined ? observer.requestDuration : observer.requestDurationAt(quantile));
  if (measured.kind !== 'value') return measured;
  const ms = measured.value * (observer.durationUnit === 's' ? 1000 : 1);
  // Toward zero (05-B31), or as it is (05-W13).
  return { kind: 'value', value: wholeMilliseconds ? Math.trunc(ms) : ms };
}
