/**
 * Takes each check out, in memory, and prints the test that notices it; words choose among them by check or file:
 * `node test/attacks/remove-checks.ts alias src/dashboard`. A test that is red while no check is out counts for none.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { OWN_PROCESS } from '../fakes/own-process.ts';
import { type Attempt, Crewman } from '../mutants/crew.ts';
import { removedChecks } from './removed-checks.ts';

const root = join(import.meta.dirname, '..', '..');
const words = process.argv.slice(2);
const chosen = removedChecks.filter(({ check, file }) => words.length === 0 || words.some((word) => `${check} ${file}`.includes(word)));
const crewman = new Crewman();
let missed = 0;

async function tried(file: string, [find, replace]: [string, string], tests: readonly string[]): Promise<Attempt> {
  const start = readFileSync(join(root, file), 'utf8').indexOf(find);
  const job = { mutant: { file, start, end: start + find.length, mutated: replace }, files: [...tests] };
  if (!tests.some((one) => OWN_PROCESS.includes(one))) return crewman.run(job);
  const alone = new Crewman('bare');
  try {
    return await alone.run(job);
  } finally {
    alone.stop();
  }
}

for (const one of new Set(chosen.flatMap(({ tests }) => tests))) {
  const { file: by, test = '', error = '' } = await tried(one, ['', ''], [one]);
  if (by === undefined) continue;
  missed += 1;
  process.stdout.write(`RED BEFORE: \`${by}\`: ${test}: ${error}\n`);
}
for (const { item, check, file, find, replace, tests } of chosen) {
  const { file: by, test = '' } = await tried(file, [find, replace], tests);
  if (by === undefined) missed += 1;
  process.stdout.write(`| ${item} | ${check} | \`${file}\` | ${by === undefined ? 'SURVIVED' : `\`${by}\`: ${test}`} |\n`);
}
crewman.stop();
process.exit(missed === 0 ? 0 : 1);
