import { expect, it } from 'vitest';
import { playFaultyRelease } from '../scenarios/adversity/faulty-release.ts';

/** `SEEDS=7,12` plays those again; otherwise the first thousand. */
const seeds = process.env.SEEDS?.split(',').map(Number) ?? Array.from({ length: 1_000 }, (_, index) => index + 1);

it.each(seeds)(
  'release %i under faults of the API server, the network and its own process ends as it should (I1, I2, I3, I4, I5, I10)',
  async (seed) => {
    const { wrong } = await playFaultyRelease(seed);
    expect(wrong).toEqual([]);
  },
);
