/**
 * Breaks the code in one place after the other and looks whether a test notices (test/mutants/README.md):
 * `node test/mutants/run.ts --seed 39 --count 300 [--only ROOM] [--survivors] [--mutant ID]`.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ROOMS } from './candidates.ts';
import { outcomeOf, percentKilled, type Row, readResults, tableOf, tallyOf, writeResults } from './results.ts';
import { findMutant, sampleMutants } from './sample.ts';
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
const file = values.results ?? join(import.meta.dirname, `seed-${seed}.json`);
const print = (row: Row): void => {
  process.stdout.write(`${progressOf(row)}\n`);
};

if (values.mutant) {
  const mutants = values.mutant.flatMap((id) => findMutant(id) ?? []);
  if (mutants.length < values.mutant.length)
    throw new Error(`not found: the source has changed, or an id of ${values.mutant.join(', ')} is wrong`);
  await tryMutants(mutants, print);
} else {
  const sample = sampleMutants({ seed, count });
  const rows = new Map<string, Row>(readResults(file).map((row) => [row.mutant.id, row]));
  const isOpen = (id: string): boolean => {
    const row = rows.get(id);
    return row === undefined || (values.survivors && outcomeOf(row) === 'survived');
  };
  const open = sample.filter(({ id, room }) => rooms.includes(room) && isOpen(id));
  const save = (): void => {
    const tried = sample.flatMap(({ id }) => rows.get(id) ?? []);
    writeResults(file, { seed, count, rows: tried });
    writeFileSync(file.replace(/\.json$/, '.md'), tableOf({ seed, count, rows: tried }));
  };
  const onRow = (row: Row): void => {
    rows.set(row.mutant.id, row);
    save();
    print(row);
  };
  // Room after room would leave the last ones out of a run that is interrupted.
  await tryMutants(
    open.toSorted((a, b) => a.id.localeCompare(b.id)),
    onRow,
    sample,
  );
  save();
  const tally = tallyOf([...rows.values()]);
  process.stdout.write(`seed ${seed}: ${JSON.stringify(tally)}, ${percentKilled(tally).toFixed(1)}% killed\n`);
}
process.exit(0);
