import { describe, expect, it } from 'vitest';
import { isChosen, type Part, titleOf } from '../fakes/covering-part.ts';
import { type DriftFixture, DriftRun } from './drift/drift-run.ts';
import { DELETED, editsFor } from './drift/edits.ts';
import type { ProviderFixture } from './providers/provider-fixture.ts';
import { afterAll, beforeAll } from './world.ts';

const LEAST_EDITS = 12;
const FIRST_PERCENT = 30;
/** More steps than there are edits. */
export const DRIFT_PLAN = { threshold: 5, stepWeights: Array.from({ length: 60 }, (_, index) => FIRST_PERCENT + index) };
/** Each wait inside has a bound of its own, which says what it waits for. */
const LONGEST_MS = 600_000;

/** Foreign edits in the middle of a release, one after the other, each at a weight of its own; a part for each provider, chosen by its place `nth`. */
export function describeDrift(fixture: ProviderFixture, start: () => Promise<DriftFixture>, nth: number, part: Part): void {
  const edits = editsFor(fixture);
  const chosen = edits.filter(({ name }, at) => name === DELETED || isChosen(part, nth, at));
  let environment: DriftFixture;
  let run: DriftRun;
  beforeAll(async () => {
    environment = await start();
    run = await DriftRun.begin(environment, fixture);
  });
  afterAll(() => environment?.stop());

  it(`is tried with at least ${LEAST_EDITS} kinds of edit`, () => expect(edits.length).toBeGreaterThanOrEqual(LEAST_EDITS));
  it.each(chosen)(`$name (${titleOf(part)})`, (edit) => run.survives(edit));
  it('another writer that puts it back again and again is corrected ever more rarely, and named', () => run.survivesContest());
  it('a Canary that is deleted after all this leaves no route to its sides', () => run.leavesNothing());
}

/** The same as one test for each provider, several at a time: for clusters where a release takes its time. */
export function describeDriftAtOnce(
  fixtures: readonly ProviderFixture[],
  start: (fixture: ProviderFixture) => Promise<DriftFixture>,
): void {
  describe.concurrent('the recorded weights survive every foreign edit, and a deleted Canary leaves no route to its sides', () => {
    it.each(fixtures)(
      '$provider',
      async (fixture) => {
        const environment = await start(fixture);
        try {
          const run = await DriftRun.begin(environment, fixture);
          for (const edit of editsFor(fixture)) await run.survives(edit);
          await run.survivesContest();
          await run.leavesNothing();
        } finally {
          await environment.stop();
        }
      },
      LONGEST_MS,
    );
  });
}
