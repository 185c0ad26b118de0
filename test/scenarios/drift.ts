import { describe, expect, it } from 'vitest';
import { isChosen, type Part, titleOf } from '../fakes/covering-part.ts';
import { DriftRun, type DriftStage } from './drift/drift-run.ts';
import { DELETED, editsFor } from './drift/edits.ts';
import type { ProviderFixture } from './providers/provider-fixture.ts';
import { afterAll, beforeAll } from './world.ts';

const LEAST_EDITS = 12;
const FIRST_PERCENT = 30;
/** More steps than there are edits. */
export const DRIFT_PLAN = { threshold: 5, stepWeights: Array.from({ length: 60 }, (_, index) => FIRST_PERCENT + index) };
/** Each wait inside has a bound of its own, which says what it waits for. */
const LONGEST_MS = 600_000;

/** Foreign edits in the middle of a release, one after the other, each at a weight of its own (04-R-T4, R-T9); a part for each provider, chosen by its place `nth`. */
export function describeDrift(fixture: ProviderFixture, start: () => Promise<DriftStage>, nth: number, part: Part): void {
  const edits = editsFor(fixture);
  const chosen = edits.filter(({ name }, at) => name === DELETED || isChosen(part, nth, at));
  let stage: DriftStage;
  let run: DriftRun;
  beforeAll(async () => {
    stage = await start();
    run = await DriftRun.begin(stage, fixture);
  });
  afterAll(() => stage?.stop());

  it(`is tried with at least ${LEAST_EDITS} kinds of edit`, () => expect(edits.length).toBeGreaterThanOrEqual(LEAST_EDITS));
  it.each(chosen)(`04-R-T4: $name (${titleOf(part)})`, (edit) => run.survives(edit));
  it('somebody who puts it back again and again is corrected ever more rarely, and named', () => run.survivesContest());
  it('04-R-L2: a Canary that is deleted after all this leaves no route to its sides', () => run.leavesNothing());
}

/** The same as one test for each provider, several at a time: for clusters where a release takes its time. */
export function describeDriftAtOnce(fixtures: readonly ProviderFixture[], start: (fixture: ProviderFixture) => Promise<DriftStage>): void {
  describe.concurrent('04-R-T4, R-L2: the recorded weights survive every foreign edit, and a deleted Canary leaves no route to its sides', () => {
    it.each(fixtures)(
      '$provider',
      async (fixture) => {
        const stage = await start(fixture);
        try {
          const run = await DriftRun.begin(stage, fixture);
          for (const edit of editsFor(fixture)) await run.survives(edit);
          await run.survivesContest();
          await run.leavesNothing();
        } finally {
          await stage.stop();
        }
      },
      LONGEST_MS,
    );
  });
}
