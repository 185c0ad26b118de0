import { shorten } from '../base/field-path.ts';
import { builtIn } from './built-in-metrics.ts';
import type { Analysis, Metric } from './canary.ts';
import { comparedEntries, MOST_COMPARED } from './compared-entries.ts';
import { parseDuration } from './duration.ts';
import { badDuration, error, type Finding, type Scope, warning } from './finding.ts';
import { namesPlaceholder } from './placeholder.ts';
import { factsOf } from './providers.ts';

/** The shortest interval of an analysis that is used: milliseconds. */
export const shortestIntervalMs = 10_000;

/** The default window, which has no warning at any interval of the analysis. */
const usualWindowMs = 60_000;

/** Scrape intervals below 15 s are rare, and a rate needs two samples. */
const twoScrapesMs = 30_000;
const narrow = (interval: string, ms: number): string =>
  `is ${shorten(interval)}, in which a rate has its two samples only where targets are scraped every ${ms / 2000}s, and few requests decide a check: make it twice the scrape interval or longer`;

/** Everything about one of `spec.analysis.metrics`. */
export function* metricFindings(metric: Metric, path: string, scope: Scope): Generator<Finding> {
  const { analysis } = scope.canary.spec;
  const { min, max } = metric.thresholdRange ?? {};
  const isBuiltIn = builtIn.includes(metric.name);
  const mostFailures = Math.max(1, analysis.threshold);
  if (!isBuiltIn && !metric.query && !metric.templateRef)
    yield error(path, `has nothing to run: set templateRef, or name it ${builtIn.join(' or ')}`);
  if (min !== undefined && max !== undefined && min > max)
    yield error(`${path}.thresholdRange`, `has min ${min} above max ${max}, so no value passes: exchange them`);
  if (min === undefined && max === undefined && metric.threshold === undefined && metric.baseline === undefined)
    yield warning(path, 'has no limit: set thresholdRange.min or thresholdRange.max');
  if (metric.threshold !== undefined) yield deprecatedThreshold(metric.name, metric.threshold, path);
  if (metric.query) yield warning(`${path}.query`, 'is deprecated: make a MetricTemplate and use templateRef');
  if (metric.failureLimit !== undefined && metric.failureLimit + 1 >= mostFailures)
    yield warning(`${path}.failureLimit`, `is never reached: analysis.threshold ends the release at ${mostFailures} failed checks`);
  if (metric.mode === 'observe' && metric.failureLimit !== undefined)
    yield warning(`${path}.failureLimit`, 'has no effect on a metric that is only observed: remove it, or let the metric decide');
  if (metric.initialDelay !== undefined && parseDuration(metric.initialDelay) === undefined)
    yield badDuration(`${path}.initialDelay`, metric.initialDelay);
  yield* durationFindings(metric, path);
  yield* trafficFindings(metric, path, analysis);
  yield* baselineFindings(metric, `${path}.baseline`, scope);
  yield* compareFindings(metric, `${path}.compare`, analysis);
  if (metric.interval === undefined) return;
  const at = `${path}.interval`;
  const ms = parseDuration(metric.interval);
  if (ms !== undefined && ms > 0 && ms < twoScrapesMs) yield warning(at, narrow(metric.interval, ms));
  const tickMs = parseDuration(analysis.interval);
  if (ms === undefined && metric.templateRef && !metric.query && !isBuiltIn) {
    // Only its template decides: Graphite has its own format of windows.
    const text = `is ${shorten(metric.interval)}, which Graphite reads in a query; other backends cannot read it: write it as in 30s or 1m30s`;
    yield warning(at, text);
  } else if (ms === undefined || ms <= 0) yield badDuration(at, metric.interval);
  else if (tickMs !== undefined && tickMs > 0 && ms > Math.max(tickMs, usualWindowMs)) {
    const text = `is longer than analysis.interval (${shorten(analysis.interval)}), so a check also sees requests of the previous step: use 1m, or at most the interval of the analysis`;
    yield warning(at, text);
  }
}

/** The same number is a minimum for one metric, and a maximum for all others. */
function deprecatedThreshold(name: string, threshold: number, path: string): Finding {
  const [word, bound] = name === 'request-success-rate' ? ['minimum', 'min'] : ['maximum', 'max'];
  return warning(`${path}.threshold`, `is deprecated, and a ${word} of ${name}: write thresholdRange.${bound}: ${threshold}`);
}

/** Options of the only metric that has a distribution. */
function* durationFindings({ name, quantile, wholeMilliseconds }: Metric, path: string): Generator<Finding> {
  if (name === 'request-duration') return;
  for (const [field, value] of Object.entries({ quantile, wholeMilliseconds }))
    if (value !== undefined)
      yield error(`${path}.${field}`, 'is an option only of request-duration: write it into the query of this metric');
}

/** The guard against judging by a handful of requests. */
function* trafficFindings({ name, minimumRequests, trafficQuery }: Metric, path: string, analysis: Analysis): Generator<Finding> {
  const at = `${path}.minimumRequests`;
  if (minimumRequests === undefined) {
    if (trafficQuery !== undefined)
      yield warning(`${path}.trafficQuery`, 'has no effect without minimumRequests: set how many requests are enough');
  } else if (!builtIn.includes(name) && trafficQuery === undefined)
    yield error(at, 'has nothing that counts the requests: set trafficQuery, as in sum(increase(requests[1m]))');
  else if (analysis.unmeasured !== 'hold')
    yield warning(at, 'makes a canary with little traffic fail its checks: set analysis.unmeasured to hold, so that it waits');
}

/** Entries whose counts would have no key of their own. */
function* compareFindings(metric: Metric, path: string, { metrics = [] }: Analysis): Generator<Finding> {
  const not = comparedEntries(metrics).find((one) => one.metric === metric)?.not;
  if (not === 'sameName') yield error(path, 'needs a name that no other compared metric has: rename the metric, or remove compare');
  if (not === 'tooMany') yield error(path, `is one more than the ${MOST_COMPARED} that are compared: remove compare here or elsewhere`);
}

function* baselineFindings({ name, baseline, query }: Metric, path: string, { canary, observed }: Scope): Generator<Finding> {
  if (baseline === undefined) return;
  const { minRatio, maxRatio } = baseline;
  const measures = observed && factsOf(observed).measuresPrimary;
  const isUnnamed = measures === 'never' || (measures === 'unless the target is a Service' && canary.spec.targetRef.kind === 'Service');
  if (minRatio === undefined && maxRatio === undefined) yield error(path, 'accepts any value: set minRatio or maxRatio');
  else if (minRatio !== undefined && maxRatio !== undefined && minRatio > maxRatio)
    yield error(path, `has minRatio ${minRatio} above maxRatio ${maxRatio}, so no value passes: exchange them`);
  else if (baseline.query) return;
  else if (builtIn.includes(name) && isUnnamed)
    yield error(path, `has no query, and those of provider ${observed} do not depend on the workload: set baseline.query`);
  else if (query && !namesPlaceholder(query, 'target')) {
    const how = 'does not name {{ target }}, by which the primary could be measured: set baseline.query';
    yield error(path, `has no query, and that of the metric ${how}`);
  }
}
