/** The φ-quantile of values by linear interpolation, as `quantile` and `quantile_over_time` compute it. */
export function quantileOf(phi: number, values: readonly number[]): number {
  if (values.length === 0 || Number.isNaN(phi)) return Number.NaN;
  if (phi < 0) return -Infinity;
  if (phi > 1) return Infinity;
  const sorted = values.toSorted(ascending);
  const rank = phi * (sorted.length - 1);
  const lower = Math.floor(rank);
  const at = (index: number) => sorted[Math.min(index, sorted.length - 1)] ?? Number.NaN;
  const share = rank - lower;
  return at(lower) * (1 - share) + at(lower + 1) * share;
}

/** NaN first, as Prometheus sorts for quantiles. */
function ascending(a: number, b: number): number {
  if (Number.isNaN(a)) return Number.isNaN(b) ? 0 : -1;
  if (Number.isNaN(b)) return 1;
  return a < b ? -1 : a > b ? 1 : 0;
}

/** By value, up or down; NaN is last in both directions, unlike in quantiles. */
export const byValue =
  (direction: 1 | -1) =>
  ({ value: a }: { value: number }, { value: b }: { value: number }): number =>
    Number.isNaN(a) || Number.isNaN(b) ? Number(Number.isNaN(a)) - Number(Number.isNaN(b)) : direction * ascending(a, b);

export interface Bucket {
  upperBound: number;
  /** Observations at or below the bound. */
  count: number;
}

/** The φ-quantile of a classic histogram. Source: Prometheus promql/quantile.go BucketQuantile. */
export function bucketQuantile(phi: number, unsorted: readonly Bucket[]): number {
  if (Number.isNaN(phi)) return Number.NaN;
  if (phi < 0) return -Infinity;
  if (phi > 1) return Infinity;
  const buckets = cumulative(unsorted);
  const top = buckets.at(-1);
  if (top?.upperBound !== Infinity || buckets.length < 2 || top.count === 0) return Number.NaN;
  const rank = phi * top.count;
  const index = buckets.slice(0, -1).findIndex((bucket) => bucket.count >= rank);
  if (index === -1) return buckets.at(-2)?.upperBound ?? Number.NaN;
  const bucket = buckets[index] as Bucket;
  if (index === 0 && bucket.upperBound <= 0) return bucket.upperBound;
  const below = index === 0 ? { upperBound: 0, count: 0 } : (buckets[index - 1] as Bucket);
  return below.upperBound + (bucket.upperBound - below.upperBound) * ((rank - below.count) / (bucket.count - below.count));
}

/** Sorted, one bucket a bound, counts never falling: races between buckets of one scrape make them fall. */
function cumulative(unsorted: readonly Bucket[]): Bucket[] {
  const merged: Bucket[] = [];
  for (const bucket of unsorted.toSorted((a, b) => ascending(a.upperBound, b.upperBound))) {
    const last = merged.at(-1);
    if (last?.upperBound === bucket.upperBound) last.count += bucket.count;
    else merged.push({ ...bucket });
  }
  let highest = -Infinity;
  for (const bucket of merged) {
    highest = Math.max(highest, bucket.count);
    bucket.count = highest;
  }
  return merged;
}
