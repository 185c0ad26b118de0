import { expect, it } from 'vitest';
import { playFaultyRelease } from '../scenarios/adversity/faulty-release.ts';

// Killed, halted and neither, a good and a bad version; test/long plays a thousand.
it.each([1, 2, 3, 4, 5, 6])(
  'release %i under faults of the API server, the network and its own process ends as it should',
  async (seed) => {
    const { faults, wrong } = await playFaultyRelease(seed);
    expect(Object.keys(faults).length).toBeGreaterThan(0);
    expect(wrong).toEqual([]);
  },
);
