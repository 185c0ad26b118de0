import type { CountedSeries, Observer } from '../api/observer.ts';
import { absenceIn, knownSeriesQuery } from './known-series.ts';
import type { Measurement } from './providers/metric-provider.ts';
import { type QueryVariables, renderQuery } from './query-template.ts';
import { type MetricSource, observedNames } from './source.ts';

type Empty = Extract<Measurement, { kind: 'noData' }>;

/** The metric that a built-in query counts in, and the field of the Canary with the address of its server, if it has one. */
export interface BuiltInMetric extends CountedSeries {
  metric: string;
  field?: string;
}

/** One check of the metric. */
interface Subject {
  observer: Observer;
  names: QueryVariables;
  primaryRoute: string | undefined;
  /** The requests in the window, if they were counted. */
  requests: number | undefined;
}

/**
 * A built-in check without a value, with the reason for that, by a second query of the same server. It is sent at most once for a check and interval, and only
 * if the first found nothing. Without an answer the reason stays.
 */
export async function withReason(found: Empty, metric: BuiltInMetric, subject: Subject, source: MetricSource): Promise<Empty> {
  const { metric: name, labels, field } = metric;
  const { observer, names, primaryRoute, requests = 0 } = subject;
  const filledIn = (matchers: string, route = names.route): string | undefined => {
    const text = renderQuery(matchers, observedNames(observer, { ...names, route }));
    return 'query' in text ? text.query : undefined;
  };
  const [canary, primary, namespace] = [filledIn(metric.canary), filledIn(metric.primary, primaryRoute), filledIn(metric.namespace)];
  if (canary === undefined || primary === undefined || namespace === undefined) return found;
  const answer = await source.readSeries?.(knownSeriesQuery({ canary, primary, namespace, labels }, name));
  if (answer?.kind !== 'series') return found;
  const { target, namespace: own, interval } = names;
  const why = absenceIn(answer.series, labels, { metric: name, target, namespace: own, interval, hasCounted: found.isNaN === true });
  // Requests were counted, so that their absence is not the reason.
  if (why.code === 'NoTraffic' && requests > 0) return found;
  return { ...found, ...why, ...(field && why.code === 'MetricNotScraped' && { field }) };
}
