import { afterAll, beforeAll, expect, it } from 'vitest';
import { faultsOf, KillRuns } from '../suite/adversity/kill-runs.ts';

/** `SEEDS=7,12` plays those again; otherwise the fifty that are recorded here. */
const seeds = process.env.SEEDS?.split(',').map(Number) ?? Array.from({ length: 50 }, (_, index) => index + 1);

let runs: KillRuns;
beforeAll(async () => {
  runs = await KillRuns.begin();
});
afterAll(() => runs?.end());

it.each(seeds)('kill -9 with seed %i: the release ends as it would have', async (seed) => {
  const report = await runs.play(seed);
  process.stdout.write(`${JSON.stringify(report)}\n`);
  expect(faultsOf(report)).toEqual([]);
});
