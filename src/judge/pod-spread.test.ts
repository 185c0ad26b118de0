import { describe, expect, it } from 'vitest';
import { addPods, MOST_COMPARED_PODS, wideningOf } from './pod-spread.ts';
import type { PodCounts } from './window.ts';

const pods = (failures: readonly number[], requests = 1000): PodCounts[] =>
  failures.map((count, index) => ({ name: `pod-${index}`, requests, failures: count }));

describe('pods that differ', () => {
  it('widen nothing when the primary has one pod, or none is known', () => {
    expect(wideningOf(undefined)).toBe(1);
    expect(wideningOf(addPods(undefined, { canary: pods([1]), primary: pods([5]) }))).toBe(1);
  });

  it('widen little when many are alike, and more when they scatter or the canary has fewer', () => {
    const alike = wideningOf(
      addPods(undefined, {
        canary: pods([1, 1]),
        primary: pods(
          Array.from({ length: 20 }, () => 40_000),
          1e6,
        ),
      }),
    );
    const apart = [200, 300, 400, 500, 600, 200, 300, 400, 500, 600];
    const two = wideningOf(addPods(undefined, { canary: pods([1, 1]), primary: pods(apart) }));
    const one = wideningOf(addPods(undefined, { canary: pods([1]), primary: pods(apart) }));
    expect(alike).toBeLessThan(1.3);
    // Computed by hand: 2 × (0.5² × 2 + 0.25² × 2) / 9 seen and 1/400 by chance; 10 − 1 pods weigh (0.04 / 0.0425)² each, beside 2 assumed pods with 0.04.
    const degrees = 9 * (0.04 / 0.0425) ** 2;
    const variance = (0.08 + (1.25 / 9 - 1 / 400) * degrees) / (2 + degrees);
    const quantile = 2.576 + (2.576 ** 3 + 2.576) / (4 * (2 + degrees));
    expect(two).toBeCloseTo(Math.exp(quantile * Math.sqrt(Math.log1p(variance) * 0.6)), 10);
    expect(one).toBeGreaterThan(two);
  });

  it('widen by the assumption while the primary has no failures, and by little more with few of them', () => {
    const by = (failures: readonly number[], requests = 1000) =>
      wideningOf(addPods(undefined, { canary: pods([9, 9]), primary: pods(failures, requests) }));
    expect(by([0, 0])).toBeCloseTo(Math.exp((2.576 + (2.576 ** 3 + 2.576) / 8) * Math.sqrt(Math.log1p(0.04))), 10);
    expect(by([1, 0])).toBeCloseTo(by([0, 0]), 0);
    // Most applications have two pods on each side: ten times worse must stay within reach of a tolerance of 1.5 times.
    expect(1.5 * by([20, 15])).toBeLessThan(5);
    expect(by([4000, 0], 10_000)).toBeGreaterThan(5);
  });

  it('are summed by name, and only the first of many are kept', () => {
    const first = addPods(undefined, { canary: pods([1]), primary: pods([1, 2]) });
    const second = addPods(first, { canary: pods([0, 0]), primary: pods(Array.from({ length: 40 }, () => 1)) });
    expect(second?.canaryPods).toBe(2);
    expect(second?.primary['pod-1']).toEqual({ requests: 2000, failures: 3 });
    expect(Object.keys(second?.primary ?? {})).toHaveLength(MOST_COMPARED_PODS);
  });

  it('take a name that is also a property of every object as a name', () => {
    const named = [{ name: '__proto__', requests: 10, failures: 1 }];
    const seen = addPods(undefined, { canary: pods([1]), primary: [...named, ...pods([1])] });
    expect(Object.entries(seen?.primary ?? {}).find(([name]) => name === '__proto__')?.[1]).toEqual({ requests: 10, failures: 1 });
  });

  it('leave out pods that have just come, and windows without pods of the canary', () => {
    const old = pods(Array.from({ length: 4 }, () => 100));
    const seen = addPods(undefined, { canary: pods([1]), primary: [...old, { name: 'new', requests: 5, failures: 5 }] });
    expect(wideningOf(seen)).toBe(wideningOf(addPods(undefined, { canary: pods([1]), primary: old })));
    expect(addPods(seen, { canary: [], primary: old })).toBe(seen);
  });
});
