import { describe, expect, it } from 'vitest';
import { addSupport, FURTHEST, logAgainstAtLeast, logAgainstAtMost, noSupport, ratioAt, ratioBounds } from './ratio-evidence.ts';

/** Probabilities of 0 to n failures of n requests. */
function binomial(n: number, p: number): number[] {
  let term = (1 - p) ** n;
  return Array.from({ length: n + 1 }, (_, k) => {
    const now = term;
    term *= ((n - k) / (k + 1)) * (p / (1 - p));
    return now;
  });
}

/** Probabilities of 0 to 60 failures with a mean of at most 12: the rest is below 10⁻¹⁵. */
function poisson(mean: number): number[] {
  let term = Math.exp(-mean);
  return Array.from({ length: 61 }, (_, k) => {
    const now = term;
    term *= mean / (k + 1);
    return now;
  });
}

/** Mean of an e-value over all results of two sides, computed exactly. */
function meanOf(
  canary: { requests: number; chances: number[] },
  primary: { requests: number; chances: number[] },
  evidenceOf: (support: readonly number[]) => number,
): number {
  let mean = 0;
  for (const [failures, chance] of canary.chances.entries())
    for (const [others, otherChance] of primary.chances.entries()) {
      const window = { canary: { requests: canary.requests, failures }, primary: { requests: primary.requests, failures: others } };
      mean += chance * otherChance * Math.exp(evidenceOf(addSupport(noSupport, window, 1.5)));
    }
  return mean;
}

const ROUNDED = 1e-5;

describe('the e-value of a ratio', () => {
  it.each([
    { requests: { canary: 5, primary: 9 }, rate: 0.05 },
    { requests: { canary: 12, primary: 12 }, rate: 0.3 },
    { requests: { canary: 1, primary: 25 }, rate: 0.6 },
    { requests: { canary: 20, primary: 3 }, rate: 0.01 },
  ])('is at most 1 on average at the boundary and inside, for $requests that fail by themselves with $rate', ({ requests, rate }) => {
    const primary = { requests: requests.primary, chances: binomial(requests.primary, rate) };
    const harm = (ratio: number) =>
      meanOf({ requests: requests.canary, chances: binomial(requests.canary, rate * ratio) }, primary, (support) =>
        logAgainstAtMost(support, 0, 1),
      );
    const fine = (ratio: number) =>
      meanOf({ requests: requests.canary, chances: binomial(requests.canary, rate * ratio) }, primary, (support) =>
        logAgainstAtLeast(support, 0, 1),
      );
    for (const ratio of [0, 0.5, 1, 1.5]) expect(harm(ratio)).toBeLessThanOrEqual(1 + ROUNDED);
    for (const ratio of [1.5, 1.6]) expect(fine(ratio)).toBeLessThanOrEqual(1 + ROUNDED);
    expect(harm(0)).toBeLessThan(0.999);
    // Outside of the hypothesis it grows.
    expect(fine(0.2)).toBeGreaterThan(1);
  });

  it.each([
    { requests: { canary: 1000, primary: 1000 }, rate: 0.004 },
    { requests: { canary: 100, primary: 900 }, rate: 0.01 },
  ])('is 1 on average at the boundary for Poisson failures of $requests at $rate', ({ requests, rate }) => {
    const canary = { requests: requests.canary, chances: poisson(requests.canary * rate * 1.5) };
    const primary = { requests: requests.primary, chances: poisson(requests.primary * rate) };
    expect(meanOf(canary, primary, (support) => logAgainstAtMost(support, 0, 1))).toBeCloseTo(1, 5);
    expect(meanOf(canary, primary, (support) => logAgainstAtLeast(support, 0, 1))).toBeCloseTo(1, 5);
    // Far fewer than assumed: a dispersion only takes evidence away.
    expect(meanOf(canary, primary, (support) => logAgainstAtMost(support, 0, 3))).toBeLessThan(1);
  });

  it('multiplies over windows whose rates differ, and does not see what both sides share', () => {
    const calm = { canary: { requests: 100, failures: 2 }, primary: { requests: 900, failures: 3 } };
    const outage = { canary: { requests: 100, failures: 50 }, primary: { requests: 900, failures: 450 } };
    const [one, other] = [addSupport(noSupport, calm, 1.5), addSupport(noSupport, outage, 1.5)];
    const both = addSupport(one, outage, 1.5);
    for (const [index, value] of both.entries()) expect(value).toBeCloseTo((one[index] ?? 0) + (other[index] ?? 0), 5);
    // The tolerated ratio is in the middle.
    expect(both[(both.length - 1) / 2]).toBe(0);
    expect(logAgainstAtMost(other, 0, 1)).toBeLessThan(0);
  });

  it('takes fractions without rounding', () => {
    const half = { canary: { requests: 50.5, failures: 0.5 }, primary: { requests: 450.5, failures: 0.25 } };
    const whole = { canary: { requests: 101, failures: 1 }, primary: { requests: 901, failures: 0.5 } };
    const twice = addSupport(addSupport(noSupport, half, 2), half, 2);
    for (const [index, value] of addSupport(noSupport, whole, 2).entries()) expect(twice[index]).toBeCloseTo(value, 5);
  });
});

describe('the confidence sequence of a ratio', () => {
  const support = addSupport(
    noSupport,
    { canary: { requests: 51_004, failures: 312 }, primary: { requests: 458_120, failures: 229 } },
    1.5,
  );

  it('holds the ratio that was seen, and excludes what its e-values exclude', () => {
    const { low = 0, high = 0 } = ratioBounds(support, { tolerate: 1.5, dispersion: 1, logBoundary: Math.log(200) });
    const seen = 312 / 51_004 / (229 / 458_120);
    expect(low).toBeGreaterThan(seen / 1.8);
    expect(low).toBeLessThan(seen);
    expect(high).toBeGreaterThan(seen);
    expect(high).toBeLessThan(seen * 1.8);
    expect(ratioAt(FURTHEST, 1.5)).toBe(24);
  });

  it('has no ends before anything was seen, and wider ends with a larger dispersion', () => {
    expect(ratioBounds(noSupport, { tolerate: 1.5, dispersion: 1, logBoundary: Math.log(200) })).toEqual({
      low: undefined,
      high: undefined,
    });
    const narrow = ratioBounds(support, { tolerate: 1.5, dispersion: 1, logBoundary: Math.log(200) });
    const wide = ratioBounds(support, { tolerate: 1.5, dispersion: 10, logBoundary: Math.log(200) });
    expect(wide.low).toBeLessThan(narrow.low ?? 0);
    expect(wide.high).toBeGreaterThan(narrow.high ?? 0);
  });
});
