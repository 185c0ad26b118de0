import { describe, expect, it } from 'vitest';
import { playHealthyRelease } from '../suite/adversity/healthy-release.ts';

const lagging = { lagMs: [0, 3000], interval: '1s' } as const;

describe.each(['istio', 'smi:v1alpha2', 'kubernetes'] as const)('I10 on %s, proxies lagging by 0 to 3 s', (provider) => {
  it.each([1, 2, 3])('seed %i: nothing is lost when pods outlive their traffic by 4 s', async (seed) => {
    const { answered, lost, verdict } = await playHealthyRelease({ ...lagging, provider, seed, scaleDownDelay: '4s' });
    expect(lost).toEqual([]);
    expect(verdict).toBe('Succeeded');
    expect(answered).toBeGreaterThan(2000);
  });
});

it.each(['istio', 'smi:v1alpha2'] as const)('I10 on %s: the same clients do lose requests when pods go at once', async (provider) => {
  const { lost } = await playHealthyRelease({ ...lagging, provider, seed: 1, scaleDownDelay: '0s' });
  expect(lost.length).toBeGreaterThan(0);
});
