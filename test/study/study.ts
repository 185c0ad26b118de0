/** Plays the study on two cores and writes what it found to test/study/results.json. The same seed gives the same results. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { breakingCells, type Cell, goodCells, nullCells, powerCells } from './cells.ts';
import { type LatencyCell, latencyCells } from './latency-traffic.ts';
import { type Outcomes, playCell, playLatency } from './play.ts';
import type { Played, Results } from './results.ts';

const SEED = 20;
const CORES = 2;
const RELEASES = { null: 400, again: 4000, breaking: 400, good: 100, bad: 100, latency: 200 };
const FALSE_ALARM = 0.01;
/** Cells that a worker plays before it asks for more. */
const BATCH = 8;

type Task =
  | { part: 'errors'; cell: Cell; goesOn: boolean; seed: number }
  | { part: 'latency'; cell: LatencyCell; goesOn: boolean; seed: number };

if (isMainThread) await main();
else parentPort?.on('message', (tasks: Task[]) => parentPort?.postMessage(tasks.map(play)));

function play(task: Task): Outcomes {
  return task.part === 'errors' ? playCell(task.cell, task) : playLatency(task.cell, task);
}

async function main(): Promise<void> {
  const began = Date.now();
  const workers = Array.from({ length: CORES }, () => new Worker(new URL(import.meta.url)));
  const errors = (title: string, cells: readonly Cell[], goesOn: boolean, seed = SEED) =>
    run(workers, title, cells, (cell) => ({ part: 'errors', cell, goesOn, seed }));
  const latencies = (title: string, cells: readonly LatencyCell[], goesOn: boolean) =>
    run(workers, title, cells, (cell) => ({ part: 'latency', cell, goesOn, seed: SEED }));
  const asGood = await errors('no worse than tolerated', nullCells(RELEASES.null), true);
  const suspects = asGood.filter(({ outcomes, releases }) => (outcomes.serin?.rolledBack ?? 0) > releases * FALSE_ALARM);
  const slow = latencyCells(RELEASES.latency);
  const results: Results = {
    seed: SEED,
    minutes: 0,
    null: asGood,
    again: await errors(
      'once more',
      suspects.map(({ outcomes: _, ...cell }) => ({ ...cell, releases: RELEASES.again })),
      true,
      SEED + 1,
    ),
    breaking: await errors('what breaks it', breakingCells(RELEASES.breaking), true),
    good: await errors('as good as the primary', goodCells(RELEASES.good), false),
    bad: await errors('worse', powerCells(RELEASES.bad), false),
    latency: await latencies('latency', slow, false),
    latencyNull: await latencies(
      'latency, no slower than tolerated',
      slow.filter(({ slower }) => slower <= 2.5),
      true,
    ),
  };
  for (const worker of workers) await worker.terminate();
  results.minutes = Math.ceil((Date.now() - began) / 60_000);
  const parts = Object.entries(results).map(([name, value]) =>
    Array.isArray(value)
      ? `${JSON.stringify(name)}: [\n${value.map((row) => JSON.stringify(row)).join(',\n')}\n]`
      : `${JSON.stringify(name)}: ${JSON.stringify(value)}`,
  );
  writeFileSync(join(import.meta.dirname, 'results.json'), `{\n${parts.join(',\n')}\n}\n`);
  console.log(`\nWrote test/study/results.json after ${results.minutes} min: npm run generate writes docs/study.md.`);
}

/** Gives the cells to the workers in turn, and says how far it is. */
async function run<C>(workers: readonly Worker[], title: string, cells: readonly C[], taskOf: (cell: C) => Task): Promise<Played<C>[]> {
  const played: Played<C>[] = Array.from({ length: cells.length });
  let [next, done] = [0, 0];
  await Promise.all(
    workers.map(async (worker) => {
      while (next < cells.length) {
        const first = next;
        const batch = cells.slice(first, first + BATCH);
        next += batch.length;
        const all = await answerOf(worker, batch.map(taskOf));
        for (const [index, cell] of batch.entries()) played[first + index] = { ...cell, outcomes: all[index] ?? {} };
        done += batch.length;
        process.stdout.write(`\r${title}: ${done} of ${cells.length} cells `);
      }
    }),
  );
  process.stdout.write('\n');
  return played;
}

function answerOf(worker: Worker, tasks: readonly Task[]): Promise<Outcomes[]> {
  return new Promise((resolve, reject) => {
    worker.once('error', reject);
    worker.once('message', (answer: Outcomes[]) => {
      worker.off('error', reject);
      resolve(answer);
    });
    worker.postMessage(tasks);
  });
}
