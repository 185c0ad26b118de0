import { expect, it } from 'vitest';
import { playFaultyRelease } from '../scenarios/adversity/faulty-release.ts';

// Each harm, a good and a bad version; test/long plays a thousand.
it.each([
  { seed: 2, harm: 'none', verdict: 'Failed' },
  { seed: 6, harm: 'halted', verdict: 'Failed' },
  { seed: 7, harm: 'killed', verdict: 'Succeeded' },
])(
  'release $seed under faults of the API server, the network and its own process ($harm) ends as it should',
  async ({ seed, harm, verdict }) => {
    const report = await playFaultyRelease(seed);
    expect(Object.keys(report.faults).length).toBeGreaterThan(0);
    expect(report).toMatchObject({ harm, verdict, wrong: [] });
  },
);
