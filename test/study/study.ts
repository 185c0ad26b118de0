/**
 * Plays the study on two cores and writes its results to test/study/results.json. The same seed gives the same results.
 * With names of parts (`npm run study -- latency`) it plays only these and keeps the others: a cell does not depend on the rest.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import {
  breakingCells,
  type Cell,
  goodCells,
  lateCells,
  nullCells,
  powerCells,
  type ShortCell,
  shortBadCells,
  shortNullCells,
} from './cells.ts';
import { type LatencyCell, latencyCells, TOLERATED_SLOWNESS } from './latency-traffic.ts';
import { type Outcomes, playCell, playLatency, playShort } from './play.ts';
import { type Played, type Results, readResults, writeResults } from './results.ts';

const file = join(import.meta.dirname, 'results.json');
const SEED = 20;
const CORES = 2;
const RELEASES = {
  null: 300,
  again: 4000,
  breaking: 200,
  good: 60,
  bad: 60,
  late: 200,
  latency: 100,
  shortNull: 200,
  shortAgain: 2000,
  shortBad: 60,
};
/** Half of what is promised: cells above it are played again, since few releases say little. */
const SUSPECT = 0.005;
/** Number of cells in each request of a worker. */
const BATCH = 8;

type Task =
  | { part: 'errors'; cell: Cell; goesOn: boolean; seed: number }
  | { part: 'latency'; cell: LatencyCell; goesOn: boolean; seed: number }
  | { part: 'short'; cell: ShortCell; goesOn: boolean; seed: number };

/** Parts that can be played by themselves. */
type Parts = Record<'null' | 'breaking' | 'good' | 'bad' | 'late' | 'latency' | 'short', () => Promise<Partial<Results>>>;

if (isMainThread) await main();
else parentPort?.on('message', (tasks: Task[]) => parentPort?.postMessage(tasks.map(play)));

function play(task: Task): Outcomes {
  switch (task.part) {
    case 'errors':
      return playCell(task.cell, task);
    case 'latency':
      return playLatency(task.cell, task);
    case 'short':
      return playShort(task.cell, task);
    default:
      return task satisfies never;
  }
}

async function main(): Promise<void> {
  const began = Date.now();
  const workers = Array.from({ length: CORES }, () => new Worker(new URL(import.meta.url)));
  const errors = (title: string, cells: readonly Cell[], goesOn: boolean, seed = SEED) =>
    run(workers, title, cells, (cell) => ({ part: 'errors', cell, goesOn, seed }));
  const latencies = (title: string, cells: readonly LatencyCell[], goesOn: boolean) =>
    run(workers, title, cells, (cell) => ({ part: 'latency', cell, goesOn, seed: SEED }));
  const shorts = (title: string, cells: readonly ShortCell[], goesOn: boolean, seed = SEED) =>
    run(workers, title, cells, (cell) => ({ part: 'short', cell, goesOn, seed }));
  const slow = latencyCells(RELEASES.latency);
  const parts: Parts = {
    null: async () => {
      const all = await errors('no worse than tolerated', nullCells(RELEASES.null), true);
      return { null: all, again: await errors('once more', suspectsOf(all, RELEASES.again), true, SEED + 1) };
    },
    breaking: async () => ({ breaking: await errors('what breaks it', breakingCells(RELEASES.breaking), true) }),
    good: async () => ({ good: await errors('as good as the primary', goodCells(RELEASES.good), false) }),
    bad: async () => ({ bad: await errors('worse', powerCells(RELEASES.bad), false) }),
    late: async () => ({ late: await errors('worse with a delay', lateCells(RELEASES.late), false) }),
    latency: async () => {
      const within = slow.filter(({ slower }) => slower <= TOLERATED_SLOWNESS);
      return { latency: await latencies('latency', slow, false), latencyNull: await latencies('latency, tolerated', within, true) };
    },
    short: async () => {
      const all = await shorts('short windows', shortNullCells(RELEASES.shortNull), true);
      const again = await shorts('short windows, once more', suspectsOf(all, RELEASES.shortAgain), true, SEED + 1);
      return { shortNull: all, shortAgain: again, shortBad: await shorts('disasters', shortBadCells(RELEASES.shortBad), false) };
    },
  };
  const asked = process.argv.slice(2);
  const unknown = asked.find((name) => !Object.hasOwn(parts, name));
  if (unknown !== undefined) throw new RangeError(`${unknown}: not a part of the study, which are ${Object.keys(parts).join(', ')}`);
  let results: Partial<Results> = asked.length === 0 ? {} : readResults(readFileSync(file, 'utf8'));
  for (const [name, playPart] of Object.entries(parts)) {
    if (asked.length === 0 || asked.includes(name)) results = { ...results, ...(await playPart()) };
  }
  for (const worker of workers) await worker.terminate();
  const minutes = asked.length === 0 ? Math.ceil((Date.now() - began) / 60_000) : (results.minutes ?? 0);
  writeFileSync(file, writeResults({ ...results, seed: SEED, minutes }));
  console.log(`\nWrote test/study/results.json after ${minutes} min: npm run generate writes docs/study.md.`);
}

/** Cells with too many false alarms, to be played again. */
function suspectsOf<C extends { releases: number }>(played: readonly Played<C>[], releases: number): C[] {
  const suspects = played.filter((cell) => (cell.outcomes.serin?.rolledBack ?? 0) > cell.releases * SUSPECT);
  return suspects.map((cell) => ({ ...cell, releases }));
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
