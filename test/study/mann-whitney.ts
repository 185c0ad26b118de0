/** z of the two-sided confidence levels that are used. */
const QUANTILES: Record<string, number> = { '0.95': 1.96, '0.98': 2.326 };

/**
 * Shift of one sample against another by Hodges and Lehmann, with the lower end of the confidence interval of the Mann–Whitney test by the normal
 * approximation (Hollander and Wolfe, "Nonparametric Statistical Methods", chapter 4).
 */
export function mannWhitneyInterval(
  values: readonly number[],
  others: readonly number[],
  confidence: number,
): { low: number; estimate: number } {
  const differences = Float64Array.from(values.flatMap((value) => others.map((other) => value - other))).sort();
  const count = differences.length;
  const z = QUANTILES[String(confidence)];
  if (z === undefined) throw new RangeError(`confidence must be one of ${Object.keys(QUANTILES).join(', ')}: ${confidence}`);
  const deviation = Math.sqrt((count * (values.length + others.length + 1)) / 12);
  const place = Math.max(0, Math.floor(count / 2 - z * deviation) - 1);
  const middle = Math.floor(count / 2);
  const estimate = count % 2 === 1 ? (differences[middle] ?? 0) : ((differences[middle - 1] ?? 0) + (differences[middle] ?? 0)) / 2;
  return { low: differences[place] ?? 0, estimate };
}
