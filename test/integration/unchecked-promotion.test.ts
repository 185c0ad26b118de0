import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { aSchedule, play } from '../build/model/adversary.ts';
import { propertyRuns, propertyTimeoutMs } from '../build/property-runs.ts';

// Only in this file: a promotion that reads target and configs as the real one does, and takes for the pinned revision whatever it finds.
vi.mock('../../src/controller/target-configs.ts', async (original) => {
  const real = await original<typeof import('../../src/controller/target-configs.ts')>();
  const readTargetConfigs: typeof real.readTargetConfigs = async (canary, ...rest) => {
    const read = await real.readTargetConfigs(canary, ...rest);
    return 'problem' in read ? read : { ...read, revision: canary.status?.release?.revision ?? read.revision };
  };
  return { ...real, readTargetConfigs };
});

/** 150 schedules in `npm test`. */
const SHARE = 1.25;

describe('an engine that promotes without looking at the pin', () => {
  it('I3: the same adversary gets bytes promoted that nobody has analysed', { timeout: 3 * propertyTimeoutMs }, async () => {
    const { numRuns, seed } = propertyRuns(SHARE);
    const found = await fc.check(
      fc.asyncProperty(aSchedule, async (schedule) => (await play(schedule)).unanalysed.length === 0),
      { numRuns, seed, endOnFailure: true },
    );
    expect(found.failed).toBe(true);
  });
});
