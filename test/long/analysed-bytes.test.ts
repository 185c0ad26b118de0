import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import type { Findings } from '../fakes/model/schedule-worker.ts';

const SCHEDULES = Number(process.env.SCHEDULES ?? 10_000);
const seed = Number(process.env.SCHEDULES_SEED ?? randomInt(2 ** 30));
const THREADS = 2;
process.stdout.write(`SCHEDULES=${SCHEDULES} SCHEDULES_SEED=${seed}\n`);

/** A schedule that was found to get through is played again by its own values: `play(schedule)` of test/fakes/model/adversary.ts. */
it(`I3: ${SCHEDULES} schedules of edits between any two calls get nothing promoted that was not analysed`, {
  timeout: 120 * 60_000,
}, async () => {
  const threads = Array.from({ length: THREADS }, (_, index) => {
    const workerData = { seed: seed + index, numRuns: Math.ceil(SCHEDULES / THREADS) };
    return new Worker(new URL('../fakes/model/schedule-worker.ts', import.meta.url), { workerData, execArgv: [] });
  });
  const all: Findings[] = await Promise.all(threads.map(async (thread) => (await once(thread, 'message'))[0]));
  const promotions = all.reduce((sum, each) => sum + each.promotions, 0);
  process.stdout.write(`${promotions} promotions\n`);
  expect(all.flatMap(({ found }) => found)).toEqual([]);
  expect(promotions).toBeGreaterThan(SCHEDULES / 2);
});
