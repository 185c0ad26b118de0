import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startBothControllers } from '../differential/cluster/both-controllers.ts';
import { runScenario } from '../differential/cluster/run-scenario.ts';
import { CLAIMS } from '../differential/comparison/claims.ts';
import { compareSides } from '../differential/comparison/compare.ts';
import { judge } from '../differential/comparison/judge.ts';
import { BREAKAGES, brokenCopy } from '../differential/run/breakages.ts';
import { knownIds, lacking } from '../differential/run/describe-scenarios.ts';

const reason = await lacking();

describe.skipIf(reason !== undefined)(reason ? `a broken Serin (skipped: ${reason})` : 'a broken Serin is found out beside Flagger', () => {
  it('the unbroken Serin shows none of the differences', async () => {
    const scenarios = BREAKAGES.map(({ scenario }, index) => ({ ...scenario, name: `s00${index}x` }));
    const both = await startBothControllers(scenarios, mkdtempSync(join(tmpdir(), 'serin-differential-')));
    try {
      const recordings = await Promise.all(scenarios.map((scenario) => runScenario(both, scenario)));
      const found = BREAKAGES.flatMap(({ aspect }, index) => {
        const [scenario, recording] = [scenarios[index], recordings[index]];
        const { unclaimed } = judge(scenario && recording ? compareSides(scenario, recording) : [], CLAIMS, knownIds());
        return unclaimed.filter((one) => aspect.test(one.aspect));
      });
      expect(found).toEqual([]);
    } finally {
      await both.stop();
    }
  });

  it.each(BREAKAGES)('$name', async (breakage) => {
    const scenario = { ...breakage.scenario, name: 's000x' };
    const both = await startBothControllers([scenario], mkdtempSync(join(tmpdir(), 'serin-differential-')), brokenCopy(breakage));
    try {
      const { unclaimed } = judge(compareSides(scenario, await runScenario(both, scenario)), CLAIMS, knownIds());
      expect(unclaimed.map(({ aspect }) => aspect)).toEqual(expect.arrayContaining([expect.stringMatching(breakage.aspect)]));
    } finally {
      await both.stop();
    }
  });
});
