import { describe, expect, it } from 'vitest';
import { faultsOf, type KillOptions, type KillReport, KillRuns } from './adversity/kill-runs.ts';
import type { Environment } from './environment.ts';
import { afterAll, beforeAll } from './world.ts';

/** One `kill -9` in each release, at the moment that the seed decides, and a restart. */
export function describeKills(
  environmentOf: () => Environment,
  seeds: readonly number[],
  hear: (report: KillReport) => void = () => undefined,
  options: KillOptions = {},
): void {
  describe('kill -9', () => {
    let runs: KillRuns;
    beforeAll(async () => {
      runs = await KillRuns.begin(environmentOf(), options);
    });
    afterAll(() => runs?.end());

    it.each(seeds)('in the middle of release %i changes neither its end nor I1, I2, I3, I5', async (seed) => {
      const report = await runs.run(seed);
      hear(report);
      expect(faultsOf(report)).toEqual([]);
    });
  });
}
