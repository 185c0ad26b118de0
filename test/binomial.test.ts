import { describe, expect, it } from 'vitest';
import { binomialBounds } from './fakes/binomial.ts';

describe('the bounds by which shares are judged', () => {
  it.each([
    // n = 10, p = 0.5: 0 and 10 come once in 1,024 each, 1 and 9 ten times.
    { n: 10, p: 0.5, alpha: 2.1 / 1024, least: 1, most: 9 },
    { n: 10, p: 0.5, alpha: 1.9 / 1024, least: 0, most: 10 },
    { n: 10, p: 0.5, alpha: 22.1 / 1024, least: 2, most: 8 },
    // None of 2,000 at 1%: once in 5 × 10⁸.
    { n: 2000, p: 0.01, alpha: 1e-8, least: 1, most: 50 },
    { n: 2000, p: 0, alpha: 1e-6, least: 0, most: 0 },
    { n: 2000, p: 1, alpha: 1e-6, least: 2000, most: 2000 },
  ])('of $n at $p with $alpha: $least to $most', ({ n, p, alpha, least, most }) =>
    expect(binomialBounds(n, p, alpha)).toEqual({ least, most }),
  );

  it('are the same seen from the other side', () => {
    const { least, most } = binomialBounds(20_000, 0.01, 1e-9);
    expect(binomialBounds(20_000, 0.99, 1e-9)).toEqual({ least: 20_000 - most, most: 20_000 - least });
    expect(most - 200).toBeLessThan(7 * Math.sqrt(20_000 * 0.01 * 0.99));
  });
});
