import { describe, expect, it } from 'vitest';
import { slopeOf } from './bench/figures.ts';
import { memoryFigures } from './bench/steady/memory.ts';

describe('slopeOf', () => {
  it('finds a line without error', () => {
    expect(slopeOf([10, 11, 12, 13].map((time) => [time, 5 + 2 * time]))).toEqual({ slope: 2, standardError: 0, points: 4 });
  });
  it('gives the standard error of points beside the line', () => {
    // Calculated by hand: the line is 1.3 + 0.8 x, the squares of the rest sum up to 1.8, and those of the times to 5.
    const found = slopeOf([0, 1, 2, 3].map((time, index) => [time, [2, 1, 3, 4][index] ?? 0]));
    expect(found?.slope).toBeCloseTo(0.8, 10);
    expect(found?.standardError).toBeCloseTo(Math.sqrt(1.8 / 2 / 5), 10);
  });
  it.each([
    { points: [] },
    {
      points: [
        [1, 1],
        [2, 2],
      ] as const,
    },
    {
      points: [
        [1, 1],
        [1, 2],
        [1, 3],
      ] as const,
    },
  ])('finds none in $points', ({ points }) => expect(slopeOf(points)).toBeUndefined());
});

describe('memoryFigures', () => {
  const samples = (minutes: number, rssAt: (minute: number) => number) =>
    Array.from({ length: minutes * 6 }, (_, index) => ({
      atSeconds: index * 10,
      rssMiB: rssAt(index / 6),
      heapMiB: index % 2 === 0 ? 20 : Number.NaN,
    }));

  it('compares the first with the last quarter, and leaves the first ten minutes out of the slope', () => {
    const { rss } = memoryFigures(samples(40, (minute) => (minute < 10 ? 50 + minute : 100 + (minute - 10) / 10)));
    expect(rss.firstQuarter).toEqual({ mean: 50 + 59 / 12, max: 50 + 59 / 6 });
    expect(rss.lastQuarter.max).toBeCloseTo(100 + 29.8333 / 10, 3);
    expect(rss.slope?.slope).toBeCloseTo(6, 10);
    expect(rss.slope?.points).toBe(180);
  });
  it('leaves out what the controller did not say', () => {
    const { heap } = memoryFigures(samples(40, () => 0));
    expect(heap.firstQuarter).toEqual({ mean: 20, max: 20 });
    expect(heap.slope).toMatchObject({ slope: 0, points: 90 });
  });
  it('has no slope of a short run', () => expect(memoryFigures(samples(3, () => 60)).rss).not.toHaveProperty('slope'));
});
