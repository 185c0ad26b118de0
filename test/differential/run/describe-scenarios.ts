import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ensureBinaries } from '../../../scripts/e2e-binaries.ts';
import { ensureFlagger } from '../../../scripts/e2e-flagger.ts';
import { MissingToolError } from '../../../scripts/e2e-tools.ts';
import { type BothControllers, startBothControllers } from '../cluster/both-controllers.ts';
import { runScenario } from '../cluster/run-scenario.ts';
import { CLAIMS } from '../comparison/claims.ts';
import { compareSides, type Difference } from '../comparison/compare.ts';
import { idsIn, type Judgement, judge } from '../comparison/judge.ts';
import { showDifference } from '../results.ts';
import { describeScenario, type NamedScenario } from '../scenarios/scenario.ts';

const DIFFERENCES_PAGE = join(import.meta.dirname, '..', '..', '..', 'docs', 'differences.md');
const RUN_WITHIN_MS = 90 * 60_000;

/** Ids of the page on which differences are listed. */
export const knownIds = (): Set<string> => idsIn(readFileSync(DIFFERENCES_PAGE, 'utf8'));

/** Reason in one line if the tier cannot run on this machine. */
export async function lacking(): Promise<string | undefined> {
  try {
    await ensureBinaries();
    await ensureFlagger();
    return undefined;
  } catch (error) {
    if (error instanceof MissingToolError) return error.message.split('\n')[0];
    throw error;
  }
}

/** Runs scenarios, so many at a time, and tests each; `atTheEnd` gets the judgement of all of them. */
export async function describeScenarios(
  title: string,
  scenarios: readonly NamedScenario[],
  atATime: number,
  atTheEnd: (judgement: Judgement, minutes: number) => void = () => undefined,
): Promise<void> {
  const reason = await lacking();
  describe.skipIf(reason !== undefined)(reason ? `${title} (skipped: ${reason})` : title, () => {
    const found = new Map<string, Difference[]>();
    const failures = new Map<string, unknown>();
    const startedMs = performance.now();
    /** Logs and recordings, which stay. */
    const folder = reason ? '' : mkdtempSync(join(tmpdir(), 'serin-differential-'));
    let both: BothControllers | undefined;

    beforeAll(async () => {
      both = await startBothControllers(scenarios, folder);
      const queue = [...scenarios];
      const work = async (started: BothControllers): Promise<void> => {
        for (let scenario = queue.shift(); scenario; scenario = queue.shift()) {
          const one = scenario;
          await runScenario(started, one).then(
            (recording) => {
              writeFileSync(join(folder, `${one.name}.json`), JSON.stringify({ scenario: one, recording }));
              found.set(one.name, compareSides(one, recording));
            },
            (error: unknown) => failures.set(one.name, error),
          );
        }
      };
      const started = both;
      await Promise.all(Array.from({ length: atATime }, () => work(started)));
    }, RUN_WITHIN_MS);
    afterAll(() => both?.stop());

    it.each(scenarios.map((scenario) => ({ scenario, values: describeScenario(scenario) })))('$scenario.name: $values', ({ scenario }) => {
      if (failures.has(scenario.name)) throw failures.get(scenario.name);
      const { unclaimed } = judge(found.get(scenario.name) ?? [], CLAIMS, knownIds());
      expect(unclaimed.map(showDifference).join('\n'), `no row of docs/differences.md explains this; logs and recordings: ${folder}`).toBe(
        '',
      );
    });

    it('claims name rows of docs/differences.md, and both controllers run to the end', () => {
      const judgement = judge([...found.values()].flat(), CLAIMS, knownIds());
      expect(judgement.unknownIds).toEqual([]);
      expect(both?.ended()).toEqual([]);
      atTheEnd(judgement, Math.round((performance.now() - startedMs) / 60_000));
    });
  });
}
