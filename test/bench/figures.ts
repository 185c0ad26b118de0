/** Increase of each count from the earlier to the later counts, without zeros. */
export function difference(after: Record<string, number>, before: Record<string, number>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(after)
      .map(([what, count]) => [what, count - (before[what] ?? 0)] as const)
      .filter(([, count]) => count !== 0),
  );
}

export const totalOf = (counts: Record<string, number>): number => Object.values(counts).reduce((sum, count) => sum + count, 0);

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? Number.NaN;
  return (upper + lower) / 2;
}

/** The value below which so many percent of them are; NaN of none. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? Number.NaN;
}

/** `2 patch services, 1 watch canaries`, or `none`. */
export const listed = (counts: Record<string, number>): string =>
  Object.entries(counts)
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([what, count]) => `${count} ${what}`)
    .join(', ') || 'none';

/** Requests from each status write of the controller until its next: the cost of each step. */
export function betweenStatusWrites(answered: readonly string[]): Record<string, number>[] {
  const steps: Record<string, number>[] = [];
  for (const what of answered) {
    if (what === 'patch canaries/status') steps.push({});
    const step = steps.at(-1);
    if (step) step[what] = (step[what] ?? 0) + 1;
  }
  return steps;
}

export interface Slope {
  /** Change of the value, for each unit of the time. */
  slope: number;
  standardError: number;
  points: number;
}

/** The straight line through points of time and value, by least squares; undefined of fewer than three times. */
export function slopeOf(points: readonly (readonly [time: number, value: number])[]): Slope | undefined {
  const count = points.length;
  const meanOf = (index: 0 | 1) => points.reduce((sum, point) => sum + point[index], 0) / count;
  const [meanTime, meanValue] = [meanOf(0), meanOf(1)];
  const spread = points.reduce((sum, [time]) => sum + (time - meanTime) ** 2, 0);
  if (count < 3 || spread === 0) return undefined;
  const slope = points.reduce((sum, [time, value]) => sum + (time - meanTime) * (value - meanValue), 0) / spread;
  const rest = points.reduce((sum, [time, value]) => sum + (value - meanValue - slope * (time - meanTime)) ** 2, 0);
  return { slope, standardError: Math.sqrt(rest / (count - 2) / spread), points: count };
}
