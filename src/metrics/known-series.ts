import type { UnmeasuredCode } from '../api/canary-status.ts';
import { parseDuration } from '../api/duration.ts';
import type { CountedSeries } from '../api/observer.ts';
import { compareText } from '../base/compare-text.ts';
import { printable } from '../base/printable.ts';
import type { LabelledSeries } from './providers/metric-provider.ts';

/** Parts of the answer to the second query, in a label of their own. */
const PART = 'serin_part';
/** Number of other workloads that are named. */
const MOST_WORKLOADS = 3;
/** Number of label names that are listed, and characters of a name. */
const MOST_LABELS = 12;
const LONGEST_NAME = 80;
/** Prometheus' prefix for a label of a target that the scrape configuration also sets. */
const RENAMED = 'exported_';

/** Matchers of both sides and of the namespace, with their names filled in. */
type RenderedSeries = Pick<CountedSeries, 'canary' | 'primary' | 'namespace' | 'labels'>;

/**
 * The query that tells why a query of this metric gave nothing. Its answer has six series at most: the number of series of each side, the workloads of the
 * namespace, and one series of the metric with all of its labels.
 */
export function knownSeriesQuery({ canary, primary, namespace, labels }: RenderedSeries, metric: string): string {
  const workload = labels.at(-1);
  const part = (name: Part, vector: string) => `label_replace(${vector}, "${PART}", "${name}", "", "")`;
  return [
    part('canary', `count(${metric}{${canary}})`),
    part('primary', `count(${metric}{${primary}})`),
    part('others', `topk(${MOST_WORKLOADS}, count by (${workload}) (${metric}{${namespace},${workload}!=""}))`),
    part('any', `topk(1, ${metric})`),
  ].join(' or ');
}
type Part = 'canary' | 'primary' | 'others' | 'any';

/** Names in the sentence about a missing value. */
interface Named {
  metric: string;
  target: string;
  namespace: string;
  interval: string;
  /** The query gave NaN: it did count, and nothing changed. */
  hasCounted: boolean;
}

/** Reason for which a query found nothing, by the answer to the second query. */
export function absenceIn(
  found: readonly LabelledSeries[],
  labels: readonly string[],
  { metric, target, namespace, interval, hasCounted }: Named,
): { code: UnmeasuredCode; reason: string } {
  const partOf = (name: Part) => found.filter((one) => one.labels[PART] === name);
  const [any] = partOf('any');
  const by = `by ${labels.length > 1 ? 'the labels' : 'the label'} ${labels.join(' and ')}`;
  const tooFew = hasCounted ? undefined : tooFewSamples(interval);
  if (partOf('canary').length > 0)
    return {
      code: 'NoTraffic',
      reason: `${noRequest(interval)}${tooFew === undefined ? '' : `, or too few samples were taken: ${tooFew}`}`,
    };
  if (partOf('primary').length > 0) return { code: 'NoTraffic', reason: noRequest(interval) };
  const workload = labels.at(-1) ?? '';
  const others = partOf('others').map((one) => shownName(one.labels[workload] ?? ''));
  if (others.length > 0) {
    const known = others.toSorted(compareText).join(', ');
    const reason = `the metrics server knows requests of other workloads in namespace ${namespace} (${known}), but none of ${target} or its primary ${by}`;
    return { code: 'WorkloadUnknown', reason };
  }
  if (any === undefined) return { code: 'MetricNotScraped', reason: `the metrics server has no metric ${metric} of any workload` };
  const isSelectable = labels.every((label) => any.labels[label] !== undefined && any.labels[`${RENAMED}${label}`] === undefined);
  if (!isSelectable) {
    const names = Object.keys(any.labels).filter((name) => name !== PART && name !== '__name__');
    const shown = names.toSorted(compareText).slice(0, MOST_LABELS).map(shownName).join(', ');
    return { code: 'LabelsDiffer', reason: `the check selects ${metric} ${by}, and the metrics server has it with ${shown || 'no label'}` };
  }
  return {
    code: 'WorkloadUnknown',
    reason: `the metrics server knows requests of other namespaces, but none in namespace ${namespace} ${by}`,
  };
}

const noRequest = (interval: string): string => `no request reached the canary in the last ${interval === '1m' ? 'minute' : interval}`;

/** A name from a metrics server. */
const shownName = (name: string): string => printable(name).slice(0, LONGEST_NAME);

/** Prometheus scrapes once a minute by default, and a rate needs two samples. */
const TWO_SCRAPES_MS = 120_000;

/** Reason for which a rate over a short window finds nothing where targets are scraped too rarely; undefined for a longer one. */
export function tooFewSamples(interval: string): string | undefined {
  const ms = parseDuration(interval) ?? TWO_SCRAPES_MS;
  if (ms >= TWO_SCRAPES_MS) return undefined;
  return `a rate needs two samples within ${interval}, so targets have to be scraped every ${ms / 2000}s at least`;
}
