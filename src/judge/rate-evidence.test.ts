import { describe, expect, it } from 'vitest';
import { logAgainstRateAtLeast, logAgainstRateAtMost, rateBounds } from './rate-evidence.ts';

/** Mean of an e-value over 0 to n failures of n requests that fail independently, computed exactly. */
function meanOf(n: number, p: number, evidenceOf: (failures: number) => number): number {
  let [mean, logChance] = [0, n * Math.log1p(-p)];
  for (let failures = 0; failures <= n; failures += 1) {
    mean += Math.exp(logChance + evidenceOf(failures));
    logChance += Math.log(((n - failures) / (failures + 1)) * (p / (1 - p)));
  }
  return mean;
}

describe('the e-value of a rate', () => {
  it.each([
    { n: 10, rate: 0.1 },
    { n: 40, rate: 0.01 },
    { n: 200, rate: 0.05 },
  ])('is at most 1 on average at $rate and on the side of the hypothesis, of $n requests', ({ n, rate }) => {
    for (const p of [rate / 4, rate]) {
      expect(meanOf(n, p, (failures) => logAgainstRateAtMost({ requests: n, failures }, rate, 1))).toBeLessThanOrEqual(1);
    }
    for (const p of [rate, rate * 3]) {
      expect(meanOf(n, p, (failures) => logAgainstRateAtLeast({ requests: n, failures }, rate, 1))).toBeLessThanOrEqual(1);
    }
  });

  it('is near 1 on average for rare failures: the bound is not wasteful', () =>
    expect(meanOf(4000, 0.001, (failures) => logAgainstRateAtMost({ requests: 4000, failures }, 0.001, 1))).toBeGreaterThan(0.95));

  it('also grows for a canary without failures: 0.1% is excluded after about 7,000 requests', () => {
    const fine = (requests: number) => logAgainstRateAtLeast({ requests, failures: 0 }, 0.001, 1);
    expect(fine(5_000)).toBeLessThan(Math.log(100));
    expect(fine(8_500)).toBeGreaterThan(Math.log(100));
  });
});

describe('the confidence sequence of a rate', () => {
  it.each([
    { requests: 51_004, failures: 312 },
    { requests: 100, failures: 50 },
    { requests: 0.5, failures: 0.1 },
  ])('ends where the e-values reach the boundary: $failures of $requests', (counts) => {
    const boundary = Math.log(200);
    const { low, high } = rateBounds(counts, 1.5, boundary);
    expect(low).toBeLessThan(counts.failures / counts.requests);
    expect(high).toBeGreaterThan(counts.failures / counts.requests);
    if (low > 1e-6) expect(logAgainstRateAtMost(counts, low, 1.5)).toBeCloseTo(boundary, 3);
    if (high < 1) expect(logAgainstRateAtLeast(counts, high, 1.5)).toBeCloseTo(boundary, 3);
  });

  it('begins at 0 without failures, and is everything without requests', () => {
    expect(rateBounds({ requests: 10_000, failures: 0 }, 1, Math.log(200)).low).toBe(0);
    expect(rateBounds({ requests: 0, failures: 0 }, 1, Math.log(200))).toEqual({ low: 0, high: 1 });
  });
});
