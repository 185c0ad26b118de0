import { describe, expect, it } from 'vitest';
import { faultsOf, type KillReport, KillRuns } from './adversity/kill-runs.ts';
import type { Environment } from './environment.ts';
import type { ProviderFixture } from './providers/provider-fixture.ts';
import { afterAll, beforeAll } from './world.ts';

/** One `kill -9` in each release, at the moment that the seed decides, and a restart. */
export function describeKills(
  environmentOf: () => Environment,
  seeds: readonly number[],
  hear: (report: KillReport) => void = () => undefined,
  fixture?: ProviderFixture,
): void {
  describe('kill -9', () => {
    let runs: KillRuns;
    beforeAll(async () => {
      runs = await KillRuns.begin(environmentOf(), fixture);
    });
    afterAll(() => runs?.end());

    it.each(seeds)('in the middle of release %i changes neither its end nor I1, I2, I3, I5', async (seed) => {
      const report = await runs.run(seed);
      hear(report);
      expect(faultsOf(report)).toEqual([]);
    });
  });
}
