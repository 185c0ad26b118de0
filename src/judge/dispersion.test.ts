import { describe, expect, it } from 'vitest';
import { addScatter, dispersionOf, LEVELS, noScatter, type Scatter } from './dispersion.ts';

const scatterOf = (failures: readonly number[], requests = 1000): Scatter =>
  failures.reduce((scatter, count) => addScatter(scatter, { requests, failures: count }), noScatter);

describe('scatter', () => {
  it('compares neighbours, by hand: 2, 4 and 0 failures', () => {
    const [first] = scatterOf([2, 4, 0]);
    // (4 − 3)² + (0 − 2)² seen, (6 + 4) / 4 expected.
    expect(first).toMatchObject({ pairs: 2, seen: 5, expected: 2.5 });
  });

  it('splits by the requests: the same rate with more traffic does not scatter', () => {
    const grown = addScatter(addScatter(noScatter, { requests: 100, failures: 3 }), { requests: 900, failures: 27 });
    expect(grown[0]).toMatchObject({ seen: 0 });
    expect(grown[0]?.expected).toBeCloseTo(30 * 0.9 * 0.1, 10);
  });

  it('joins two blocks to one of the next length, and keeps a bounded number of lengths', () => {
    const levels = scatterOf([4, 0, 0, 4, 8, 0, 0, 0]);
    // Blocks of two: 4, 4, 8, 0; blocks of four: 8, 8.
    expect(levels[1]).toMatchObject({ seen: 0 + 4 + 16, expected: (8 + 12 + 8) / 4 });
    expect(levels[2]).toMatchObject({ seen: 0, expected: 4 });
    expect(scatterOf(Array.from({ length: 2000 }, () => 1))).toHaveLength(LEVELS);
  });
});

describe('the dispersion', () => {
  it('equals the assumption before any failure is seen, raised for unequal clusters and by its standard error', () =>
    expect(dispersionOf(noScatter, noScatter)).toBeCloseTo((1 + 1.5 * 7) * (1 + Math.sqrt(2 / 10)), 10));

  it('is near the size of clusters that are all of one size, with half of the excess on top', () => {
    // Every second window has a cluster of 20 more or less: pairs are (10 ± 10)², expected 20 / 4.
    const clusters = Array.from({ length: 400 }, (_, index) => (index % 2) * 20);
    const dispersion = dispersionOf(scatterOf(clusters), scatterOf(clusters));
    expect(dispersion).toBeGreaterThan(1 + 1.5 * 18);
    expect(dispersion).toBeLessThan((1 + 1.5 * 19) * (1 + Math.sqrt(2 / 399)) + 1);
    // A canary that was not seen yet may scatter more than its primary.
    expect(dispersionOf(noScatter, scatterOf(clusters))).toBeGreaterThan(dispersion);
  });

  it.each([2, 3, 5, 10, 20])('makes an e-value of the likelihood ratio for clusters of geometric size with a mean of %d', (mean) => {
    // With this number of pairs the assumption has no weight. The variance of such clusters is 2 × mean − 1 for each failure.
    const known: Scatter = [{ pairs: 1e12, seen: (2 * mean - 1) * 1e12, expected: 1e12 }];
    const dispersion = dispersionOf(known, known);
    const growthOf = (divisor: number, alternative: number) => {
      // Poisson many clusters: each failure multiplies by e^s, and the time between them takes (alternative − 1) / divisor for each failure.
      const s = Math.log(alternative) / divisor;
      const cluster = Math.exp(s) / (mean - (mean - 1) * Math.exp(s));
      return (cluster - 1) / mean - (alternative - 1) / divisor;
    };
    for (const alternative of [1.19, 2, 4]) expect(growthOf(dispersion, alternative)).toBeLessThanOrEqual(0);
    expect(growthOf(2 * mean - 1, 4)).toBeGreaterThan(0);
  });

  it('is 1 for a canary that is evenly bad, however bad it is', () =>
    expect(dispersionOf(scatterOf(Array.from({ length: 64 }, () => 500)), scatterOf(Array.from({ length: 64 }, () => 20)))).toBe(1));

  it('grows with a burst of the canary by the size of the burst, up to five times the scatter of the primary', () => {
    const burst = scatterOf([0, 60, 0, 0]);
    expect(dispersionOf(burst, noScatter)).toBeGreaterThan(30);
    const calm = scatterOf(Array.from({ length: 720 }, (_, index) => 400 + (index % 2)));
    expect(dispersionOf(burst, calm)).toBe(5);
  });

  it('does not grow with a canary that breaks and stays broken', () => {
    const calm = scatterOf(Array.from({ length: 720 }, (_, index) => 40 + (index % 12)));
    const broken = (windows: number) => scatterOf(Array.from({ length: 120 + windows }, (_, index) => (index < 120 ? 5 : 900)));
    expect(dispersionOf(broken(100), calm)).toBeLessThanOrEqual(dispersionOf(broken(4), calm));
  });

  it('sees bursts that last longer than a window', () => {
    const long = Array.from({ length: 64 }, (_, index) => (Math.floor(index / 8) % 2 === 0 ? 5 : 0));
    expect(dispersionOf(noScatter, scatterOf(long))).toBeGreaterThan(25);
  });
});
