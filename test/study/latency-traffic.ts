import { type Buckets, latencyWindow, planLatency } from '../../src/judge/latency.ts';
import type { Draws } from './draws.ts';
import { HISTORY, type Release, split, WINDOW_MS } from './traffic.ts';

/** Durations of one side by the other, and how slow requests come. */
export interface LatencyCell {
  rps: number;
  /** Factor by which each request of the canary is slower. */
  slower: number;
  kind: 'independent' | 'pauses';
  releases: number;
}

export const LATENCY_KINDS = {
  independent: 'each duration is drawn by itself, log-normal with a median of 40 ms and a 99th percentile of 257 ms',
  pauses: 'slow requests come in clusters of 20 on average, as pauses of a garbage collector make them',
} as const;

/** Bounds of Istio's histogram, in milliseconds. */
const BOUNDS_MS = [0.5, 1, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000, 60_000, 300_000, Number.POSITIVE_INFINITY];
const CLUSTER = 20;

export const latencyName = ({ rps, slower, kind }: LatencyCell): string => `latency, ${kind}, ${rps} rps, ×${slower}`;

/** The 99th percentile is at the bound of 250 ms, and 1.2 times of it at the bound of 500 ms: twice is tolerated. */
export const TOLERATED_SLOWNESS = 2;

/** Canaries by how many times slower they are. */
export function latencyCells(releases: number): LatencyCell[] {
  const cells: LatencyCell[] = [];
  for (const kind of ['independent', 'pauses'] as const)
    for (const slower of [1, 1.2, TOLERATED_SLOWNESS, 3, 10])
      for (const rps of [1, 10, 100, 1000, 10_000]) cells.push({ rps, slower, kind, releases });
  return cells;
}

/** A release whose windows count requests above the thresholds that the primary's past gives. */
export function beginLatencyRelease({ rps, slower, kind }: LatencyCell, draws: Draws): Release {
  const bucketsOf = (perSecond: number, factor: number): Buckets => {
    const requests = draws.poisson(perSecond * 60);
    const above = BOUNDS_MS.map((bound) => 1 - shareWithin(bound / factor));
    const slow = slowAbove(requests, above);
    return { boundsMs: BOUNDS_MS, cumulative: slow.map((count) => requests - count) };
  };

  /** Requests above each bound, from the slowest down: the requests above the next bound, and requests drawn between the two. */
  const slowAbove = (requests: number, shares: readonly number[]): number[] => {
    const counts: number[] = shares.map(() => 0);
    for (let index = shares.length - 2; index >= 0; index -= 1) {
      const mean = requests * ((shares[index] ?? 0) - (shares[index + 1] ?? 0));
      const isSlow = (shares[index] ?? 0) < 0.1;
      const drawn = kind === 'pauses' && isSlow ? draws.clusters(draws.poisson(mean / CLUSTER), CLUSTER) : draws.poisson(mean);
      counts[index] = Math.min(requests, (counts[index + 1] ?? 0) + drawn);
    }
    return counts;
  };

  const past = Array.from({ length: HISTORY }, () => bucketsOf(rps, 1));
  const plan = planLatency(sumOf(past), { quantile: 0.99, tolerate: 1.2 });
  const at = (minute: number) => ({ fromMs: minute * WINDOW_MS, toMs: (minute + 1) * WINDOW_MS });
  const windowOf = (minute: number, canary: Buckets, primary: Buckets) => {
    if (typeof plan === 'string') return undefined;
    const window = latencyWindow({ ...at(minute), canary, primary }, plan);
    return typeof window === 'string' ? undefined : window;
  };
  let minute = 0;
  return {
    history: past.flatMap((primary) => windowOf(0, primary, primary)?.primary ?? []),
    next() {
      const traffic = split('linear', rps, minute);
      const window = windowOf(minute, bucketsOf(traffic.canary, slower), bucketsOf(traffic.primary, 1));
      minute += 1;
      return window;
    },
  };
}

function sumOf(all: readonly Buckets[]): Buckets {
  return {
    boundsMs: BOUNDS_MS,
    cumulative: BOUNDS_MS.map((_, index) => all.reduce((sum, { cumulative }) => sum + (cumulative[index] ?? 0), 0)),
  };
}

const MEDIAN_MS = 40;
const SIGMA = 0.8;

/** Share of the primary's requests that take no longer than a bound. */
const shareWithin = (boundMs: number): number => normalShare(Math.log(boundMs / MEDIAN_MS) / SIGMA);

/** Share of a normal distribution below z (Abramowitz and Stegun, 26.2.17), off by 10⁻⁷ at most. */
function normalShare(z: number): number {
  if (z === Number.POSITIVE_INFINITY) return 1;
  const t = 1 / (1 + 0.2316419 * Math.abs(z));
  const tail =
    (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) *
    t *
    (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  return z > 0 ? 1 - tail : tail;
}
