/**
 * Breaks the code in one place after the other and looks whether a test notices (test/mutants/README.md):
 * `node test/mutants/run.ts --seed 39 --count 300 [--only ROOM] [--survivors] [--mutant ID]`.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ROOMS } from './candidates.ts';
import { outcomeOf, percentKilled, type Row, readResults, tableOf, tallyOf, writeResults } from './results.ts';
import { findMutants, sampleMutants } from './sample.ts';
import { progressOf, tryMutants } from './try-sample.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '39' },
    count: { type: 'string', default: '300' },
    only: { type: 'string' },
    mutant: { type: 'string', multiple: true },
    survivors: { type: 'boolean', default: false },
    results: { type: 'string' },
  },
});
const [seed, count] = [Number(values.seed), Number(values.count)];
const rooms = ROOMS.filter((room) => values.only === undefined || values.only === room);
const table = join(import.meta.dirname, `seed-${seed}.json`);
const file = values.results ?? table;
const print = (row: Row): void => {
  process.stdout.write(`${progressOf(row)}\n`);
};

if (values.mutant) {
  const mutants = findMutants(values.mutant);
  if (mutants.length < values.mutant.length)
    throw new Error(`not found: the source has changed, or an id of ${values.mutant.join(', ')} is wrong`);
  await tryMutants(mutants, print);
} else {
  const rows = new Map<string, Row>(readResults(file).map((row) => [row.mutant.id, row]));
  const judged = readResults(table).map((row) => row.mutant.id);
  // Fewer than a table has are some of its own, whose survivors are judged.
  const among = file !== table && judged.length >= count ? new Set(judged) : undefined;
  // A sample that was begun is the same to its end, and when its survivors are tried again.
  const sample = rows.size >= count ? findMutants([...rows.keys()]) : sampleMutants({ seed, count, among });
  const isOpen = (id: string): boolean => {
    const row = rows.get(id);
    return row === undefined || (values.survivors && outcomeOf(row) === 'survived');
  };
  const save = (): void => {
    const tried = [...rows.values()].toSorted((a, b) => ROOMS.indexOf(a.mutant.room) - ROOMS.indexOf(b.mutant.room));
    writeResults(file, { seed, count, rows: tried });
    writeFileSync(file.replace(/\.json$/, '.md'), tableOf({ seed, count, rows: tried }));
  };
  const onRow = (row: Row): void => {
    rows.set(row.mutant.id, row);
    save();
    print(row);
  };
  const open = sample.filter(({ id, room }) => rooms.includes(room) && isOpen(id));
  // The order mixes rooms: otherwise an interrupted run would leave out the last rooms.
  const mixed = open.toSorted((a, b) => a.id.localeCompare(b.id));
  await tryMutants(mixed, onRow, sample);
  save();
  const tally = tallyOf([...rows.values()]);
  process.stdout.write(`seed ${seed}: ${JSON.stringify(tally)}, ${percentKilled(tally).toFixed(1)}% killed\n`);
}
process.exit(0);
