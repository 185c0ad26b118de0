import type { SideCounters } from '../api/observer.ts';
import type { Buckets } from '../judge/latency.ts';
import type { Counts } from '../judge/window.ts';
import { mostGained } from './counter-changes.ts';
import { allOf, inMs, PART, part, type RenderedCounters, seconds } from './counter-query.ts';
import type { LabelledSeries } from './providers/metric-provider.ts';

/** Length of the primary's history: with an hour of few failures the worst cell of the study has no margin. */
const HISTORY_MS = 3 * 3_600_000;
/** Maximum number of windows: those of 5 s. For buckets fewer, since each window has twenty of them. */
const MOST_WINDOWS = { errors: 2160, latency: 720 };

/** All requests and the successful ones, at each step of the history before `untilMs`. */
export function errorsHistoryQuery({ requests, succeeded }: SideCounters, untilMs: number, learnMs: number): string {
  const parts = [
    part('all', `sum(${requests})`),
    part('succeeded', `sum(${succeeded})`),
    part('instances', `count(count by (instance) (${requests}))`),
  ];
  return overHistory(parts, untilMs, Math.max(learnMs, HISTORY_MS / MOST_WINDOWS.errors));
}

/** The same by bucket. */
export function latencyHistoryQuery({ buckets }: SideCounters, untilMs: number, learnMs: number): string {
  const parts = [part('all', `sum by (le) (${buckets})`), part('instances', `count(count by (instance) (${allOf(buckets)}))`)];
  return overHistory(parts, untilMs, Math.max(learnMs, HISTORY_MS / MOST_WINDOWS.latency));
}

function overHistory(parts: readonly string[], untilMs: number, stepMs: number): string {
  return `(${parts.join(' or ')})[${HISTORY_MS}ms:${Math.ceil(stepMs)}ms] @ ${seconds(untilMs)}`;
}

/** Counts of windows with requests, oldest first. */
export function errorsHistory(series: readonly LabelledSeries[]): Counts[] {
  return steps(series, ({ [PART]: kind = '' }) => kind).flatMap((gained) => {
    const requests = gained.get('all') ?? 0;
    const failures = requests - (gained.get('succeeded') ?? 0);
    return requests > 0 && failures >= 0 ? [{ requests, failures }] : [];
  });
}

/** The same by bucket. */
export function latencyHistory(series: readonly LabelledSeries[], unit: RenderedCounters['bucketUnit']): Buckets[] {
  const found = steps(series, ({ [PART]: kind, le = '' }) => (kind === 'all' ? String(inMs(boundOf(le), unit)) : 'instances'));
  return found.flatMap((gained) => {
    const bounds = [...gained.keys()].flatMap((name) => (name === 'instances' ? [] : Number(name)));
    const boundsMs = bounds.toSorted((a, b) => a - b);
    const cumulative = boundsMs.map((boundMs) => gained.get(String(boundMs)) ?? 0);
    return boundsMs.at(-1) === Number.POSITIVE_INFINITY && (cumulative.at(-1) ?? 0) > 0 ? [{ boundsMs, cumulative }] : [];
  });
}

/** The upper bound in a label `le`; NaN if it is not a number. */
export const boundOf = (le: string): number => (le === '+Inf' ? Number.POSITIVE_INFINITY : Number(le === '' ? Number.NaN : le));

/**
 * Increase of each counter from one moment to the next. A step is left out if a counter went down or leapt, or if the number of instances differs: a pod that
 * comes again brings its lifetime count.
 */
function steps(series: readonly LabelledSeries[], nameOf: (labels: LabelledSeries['labels']) => string): Map<string, number>[] {
  const moments = new Map<number, Map<string, number>>();
  for (const { labels, points } of series) {
    const name = nameOf(labels);
    for (const [atSeconds, value] of points) {
      const readings = moments.get(atSeconds) ?? new Map<string, number>();
      readings.set(name, (readings.get(name) ?? 0) + value);
      moments.set(atSeconds, readings);
    }
  }
  const ordered = [...moments].toSorted(([a], [b]) => a - b);
  return ordered.slice(1).flatMap(([toSeconds, to], index) => {
    const [fromSeconds, from] = ordered[index] ?? [toSeconds, new Map<string, number>()];
    const instances = to.get('instances') ?? 0;
    if (from.get('instances') !== instances) return [];
    const most = mostGained((toSeconds - fromSeconds) * 1000) * instances;
    const gained = new Map([...to].map(([name, value]) => [name, value - (from.get(name) ?? 0)] as const));
    return [...gained.values()].every((change) => change >= 0 && change <= most) ? [gained] : [];
  });
}
