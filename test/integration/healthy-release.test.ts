import { expect, it } from 'vitest';
import { playHealthyRelease } from '../suite/adversity/healthy-release.ts';

const small = { provider: 'istio', seed: 3, lagMs: [0, 1000], interval: '500ms' } as const;

it('I10: with proxies that lag, clients that never stop see no error from bootstrap to deletion', async () => {
  const { answered, lost, verdict } = await playHealthyRelease({ ...small, scaleDownDelay: '1500ms' });
  expect(lost).toEqual([]);
  expect(verdict).toBe('Succeeded');
  expect(answered).toBeGreaterThan(500);
});
