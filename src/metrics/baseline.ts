import type { Metric } from '../api/canary.ts';

/** The bounds of a comparison with the primary: times its value, both ends included. */
type Ratios = Pick<NonNullable<Metric['baseline']>, 'minRatio' | 'maxRatio'>;

/** Reason for which the value is too far from the primary's, or undefined. Uses products and no quotient, so that a primary at 0 also has bounds. */
export function baselineBreach(value: number, primary: number, { minRatio, maxRatio }: Ratios, unit: string): string | undefined {
  const beside = `${shown(value)}${unit} beside the primary's ${shown(primary)}${unit}`;
  if (minRatio !== undefined && !(value >= primary * minRatio)) return `${beside} is less than ${minRatio} times as much`;
  if (maxRatio !== undefined && !(value <= primary * maxRatio)) return `${beside} is more than ${maxRatio} times as much`;
  return undefined;
}

/** The bounds in words, as `0.9 to 1.1 times the primary`. */
export function baselineText({ minRatio, maxRatio }: Ratios): string {
  if (minRatio !== undefined && maxRatio !== undefined) return `${minRatio} to ${maxRatio} times the primary`;
  return minRatio === undefined ? `at most ${maxRatio} times the primary` : `at least ${minRatio} times the primary`;
}

const shown = (value: number): string => String(Number(value.toFixed(3)));
