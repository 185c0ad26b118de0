import { describe, expect, it } from 'vitest';
import { bounds, nextSizes, proportionalSizes } from './rolling-update.ts';

describe('a rolling update', () => {
  it.each([
    { surge: '25%', unavailable: '25%', replicas: 10, want: { maxSurge: 3, maxUnavailable: 2 } },
    { surge: 0, unavailable: 0, replicas: 3, want: { maxSurge: 0, maxUnavailable: 1 } },
    { surge: 1, unavailable: '50%', replicas: 3, want: { maxSurge: 1, maxUnavailable: 1 } },
  ])('rounds surge $surge up and unavailability $unavailable down for $replicas pods', ({ surge, unavailable, replicas, want }) => {
    expect(bounds({ maxSurge: surge, maxUnavailable: unavailable }, replicas)).toEqual(want);
  });

  it.each([
    [1, 0],
    [0, 1],
    [2, 1],
    [3, 3],
  ])('ends with surge %i and unavailability %i, never below the minimum nor above the maximum', (maxSurge, maxUnavailable) => {
    const fresh = { name: 'new', replicas: 0, available: 0 };
    const old = { name: 'old', replicas: 4, available: 4 };
    for (let round = 0; round < 30 && (fresh.available < 4 || old.replicas > 0); round += 1) {
      for (const [name, size] of nextSizes({ replicas: 4, maxSurge, maxUnavailable, fresh, old: [old] }))
        if (name === 'new') fresh.replicas = size;
        else old.replicas = size;
      old.available = Math.min(old.available, old.replicas);
      expect(fresh.available + old.available).toBeGreaterThanOrEqual(4 - maxUnavailable);
      expect(fresh.replicas + old.replicas).toBeLessThanOrEqual(4 + maxSurge);
      if (round % 2 === 1) fresh.available = fresh.replicas;
    }
    expect([fresh.available, old.replicas]).toEqual([4, 0]);
  });

  it('takes nothing from serving pods while the new ones are not available', () => {
    const stuck = { replicas: 4, maxSurge: 1, maxUnavailable: 0, fresh: { name: 'new', replicas: 1, available: 0 } };
    expect(nextSizes({ ...stuck, old: [{ name: 'old', replicas: 4, available: 4 }] }).size).toBe(0);
  });

  it('shares a new size in proportion', () => {
    const sets = [
      { name: 'a', replicas: 6, available: 6 },
      { name: 'b', replicas: 4, available: 4 },
    ];
    expect(Object.fromEntries(proportionalSizes(sets, 21))).toEqual({ a: 13, b: 8 });
  });
});
