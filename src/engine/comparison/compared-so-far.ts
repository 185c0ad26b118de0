import * as z from 'zod';
import type { Release } from '../../api/canary-status.ts';
import { measuredFrom } from '../../api/step.ts';
import { oncePerObject } from '../../base/once.ts';
import type { Compared, ToCompare } from '../../judge/compared.ts';
import { addWindow, Evidence, learnScatter, noEvidence } from '../../judge/evidence.ts';
import { type Buckets, planLatency, slowCounts } from '../../judge/latency.ts';
import { isServed } from '../../judge/window.ts';
import type { Facts } from '../facts.ts';
import { type ComparedMetric, comparedMetrics, isGate, POLL_MS } from './compared-metrics.ts';

/** Memory of the comparison by one metric in a release: `status.release.comparison`. */
export const ComparedSoFar = z.object({
  /** The limits for which the evidence was made. */
  limits: z.string().max(200),
  evidence: Evidence,
  /** End of the last window in which the canary had requests. */
  servedMs: z.number().exactOptional(),
  /** The last window ended when a sample was scraped. */
  atSample: z.literal(true).exactOptional(),
  /** The primary's history was read. */
  learned: z.boolean(),
  plan: z.object({ primaryMs: z.number(), canaryMs: z.number(), tolerated: z.number() }).exactOptional(),
  /** Reason for which nothing was read the last time. */
  problem: z.string().max(500).exactOptional(),
  /** Announced in this release. */
  reported: z
    .array(z.enum(['bad', 'primaryFailing']))
    .max(2)
    .exactOptional(),
});
export type ComparedSoFar = z.infer<typeof ComparedSoFar>;

const parsed = oncePerObject((kept: object) => ComparedSoFar.safeParse(kept).data);

/**
 * Memory of a metric, or an empty one: a record that does not fit is from another writer (I16). Under changed limits counts begin at the end of the former
 * ones: the whole release as one window would mix times with different weights of the canary.
 */
export function comparedSoFar({ comparison = {} }: Pick<Release, 'comparison'>, metric: ComparedMetric): ComparedSoFar {
  const kept = Object.hasOwn(comparison, metric.name) ? comparison[metric.name] : undefined;
  const known = kept && parsed(kept);
  if (known?.limits === metric.limits) return known;
  const evidence = { ...noEvidence(metric.comparison), untilMs: known?.evidence.untilMs ?? 0 };
  return { limits: metric.limits, evidence, learned: false };
}

/** The same memory by another clock (rule E144): no window is counted again, and none begins in the future. */
export function comparedByOwnClock(
  comparison: NonNullable<Release['comparison']>,
  shiftMs: number,
  nowMs: number,
): NonNullable<Release['comparison']> {
  const moved = Object.entries(comparison).map(([name, kept]) => {
    const known = parsed(kept);
    return [name, known === undefined ? kept : movedBy(known, shiftMs, nowMs)] as const;
  });
  return Object.fromEntries(moved);
}

function movedBy({ evidence, servedMs, atSample, ...known }: ComparedSoFar, shiftMs: number, nowMs: number): ComparedSoFar {
  // The end of a window can also be a moment of the metrics server: it is never moved to the past.
  const untilMs = Math.min(nowMs, Math.max(evidence.untilMs, evidence.untilMs + shiftMs));
  return {
    ...known,
    evidence: { ...evidence, untilMs },
    ...(servedMs !== undefined && { servedMs: servedMs + shiftMs }),
    ...(atSample && untilMs === evidence.untilMs && { atSample }),
  };
}

/** Windows and histories for the next query (rule E121): a history, or a window after the warm-up. A poll reads only the errors. */
export function toCompare(
  release: Release,
  { canary, intervalMs, nowMs, scaleDownDelayMs }: Facts,
  { isPoll = false } = {},
): readonly ToCompare[] {
  const { analysis } = canary.spec;
  const begunMs = measuredFrom(release);
  return comparedMetrics(analysis).flatMap((metric): ToCompare[] => {
    if (isPoll && metric.name !== 'errors') return [];
    const { evidence, learned, plan, problem, atSample } = comparedSoFar(release, metric);
    // Hours of samples are a heavy query for a backend in trouble: only the checks repeat it.
    if (isPoll && !learned && problem !== undefined) return [];
    // Thresholds of durations come from the time before the first window that is compared by them.
    if (!learned)
      return [
        {
          metric: metric.name,
          fromMs: metric.latency ? nowMs : Math.max(evidence.untilMs, begunMs),
          learnMs: metric.name === 'errors' && isGate(analysis) ? Math.min(POLL_MS, intervalMs) : intervalMs,
        },
      ];
    const fromMs = Math.max(evidence.untilMs, begunMs, readyAtMs(release, scaleDownDelayMs) + metric.comparison.warmUpMs);
    const begin = { fromMs, ...(atSample && fromMs === evidence.untilMs ? { fromSample: atSample } : {}) };
    return fromMs < nowMs ? [{ metric: metric.name, ...begin, ...(plan ? { plan } : {}) }] : [];
  });
}

/** Time at which the first pod of the canary was ready: pods get traffic when they have been ready for the scale-down delay (E6a). */
const readyAtMs = (release: Release, scaleDownDelayMs: number): number => measuredFrom(release) - scaleDownDelayMs;

/** The release with the counts that were read (rule E122), and without records of metrics that are no longer compared. */
export function withCompared(
  release: Release,
  compared: readonly Compared[],
  { canary, scaleDownDelayMs, isPoll = false }: Pick<Facts, 'canary' | 'scaleDownDelayMs'> & { isPoll?: boolean },
): Release {
  if (compared.length === 0) return release;
  const entries = comparedMetrics(canary.spec.analysis).flatMap((metric) => {
    const read = compared.find((one) => one.metric === metric.name);
    if (read !== undefined && !staysOpen(read, isPoll))
      return [[metric.name, added(comparedSoFar(release, metric), read, metric, readyAtMs(release, scaleDownDelayMs))] as const];
    // An open window already shows that the canary was served: a step does not wait for the primary's requests.
    if (read?.kind === 'window' && isServed(read.window.canary))
      return [[metric.name, { ...comparedSoFar(release, metric), servedMs: read.window.toMs }] as const];
    const kept = release.comparison?.[metric.name];
    return kept === undefined ? [] : [[metric.name, kept] as const];
  });
  return { ...release, comparison: Object.fromEntries(entries) };
}

/** No backend shows samples later than this; a query over a longer window would cost more and more. Milliseconds. */
const LONGEST_EMPTY_MS = 300_000;
/** Twice the longest usual time between two scrapes: within it both sides have shown what they count. Milliseconds. */
const LONGEST_ONE_SIDED_MS = 120_000;

/**
 * A window without any request stays open: a backend that shows samples late would never fill a window that is shorter than its delay. A window in which one
 * side has no requests also stays open: two sides are scraped at different moments, and if checks are more frequent than scrapes, no window would ever have
 * both. A window whose counters began within it is closed: the next window can count them.
 */
function staysOpen(read: Compared, isPoll: boolean): boolean {
  if (read.kind !== 'window' || read.isFinal) return false;
  const { fromMs, toMs, canary, primary } = read.window;
  const served = [canary, primary].filter(isServed).length;
  if (served === 2) return false;
  return isPoll || toMs - fromMs < (served === 0 ? LONGEST_EMPTY_MS : LONGEST_ONE_SIDED_MS);
}

function added({ problem: _, ...known }: ComparedSoFar, read: Compared, metric: ComparedMetric, firstReadyMs: number): ComparedSoFar {
  const { evidence } = known;
  switch (read.kind) {
    case 'window':
      return withWindow(known, read, { comparison: metric.comparison, firstReadyMs });
    case 'history':
      return { ...known, evidence: learnScatter(evidence, read.primary), learned: true };
    case 'buckets':
      return planned(known, read, metric);
    case 'unknown':
      return { ...known, problem: read.reason.slice(0, 500) };
  }
}

function withWindow(
  known: ComparedSoFar,
  { window, endsAtSample }: Extract<Compared, { kind: 'window' }>,
  how: Parameters<typeof addWindow>[2],
): ComparedSoFar {
  const evidence = addWindow(known.evidence, window, how);
  if (evidence.untilMs <= known.evidence.untilMs) return { ...known, evidence };
  const { atSample: _, ...rest } = known;
  return { ...rest, evidence, ...(endsAtSample && { atSample: endsAtSample }), ...(isServed(window.canary) && { servedMs: window.toMs }) };
}

/** Thresholds come only from the primary's history: they must not depend on the windows that are compared by them. */
function planned(
  known: ComparedSoFar,
  { primary: history, toMs }: Extract<Compared, { kind: 'buckets' }>,
  { latency }: ComparedMetric,
): ComparedSoFar {
  if (latency === undefined) return known;
  const plan = planLatency(sumOf(history), latency);
  if (typeof plan === 'string') return { ...known, problem: PLAN_PROBLEMS[plan] };
  const slow = history.map((buckets) => slowCounts(buckets, plan.primaryMs)).filter((counts) => counts !== undefined);
  return { ...known, plan, evidence: { ...learnScatter(known.evidence, slow), untilMs: toMs }, learned: true };
}

const PLAN_PROBLEMS: Readonly<Record<Extract<ReturnType<typeof planLatency>, string>, string>> = {
  noRequests: 'the primary had no requests in the previous three hours',
  noSlowRequests: 'no request of the primary is above a bucket of the histogram',
  noBucketAbove: 'the histogram has no bucket above the tolerated duration',
  bucketsDiffer: 'the histograms of canary and primary have different buckets',
};

function sumOf(history: readonly Buckets[]): Buckets {
  const [first] = history;
  if (first === undefined) return { boundsMs: [], cumulative: [] };
  const alike = history.filter(({ boundsMs }) => boundsMs.join() === first.boundsMs.join());
  return {
    boundsMs: first.boundsMs,
    cumulative: first.boundsMs.map((_, at) => alike.reduce((sum, one) => sum + (one.cumulative[at] ?? 0), 0)),
  };
}
