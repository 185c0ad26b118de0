/** Takes each check out, in memory, and prints the test that notices it; words choose among them: `node test/attacks/remove-checks.ts alias`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Crewman } from '../mutants/crew.ts';
import { removedChecks } from './removed-checks.ts';

const root = join(import.meta.dirname, '..', '..');
const chosen = process.argv.slice(2);
const crewman = new Crewman();
let missed = 0;
for (const { item, check, file, find, replace, tests } of removedChecks) {
  if (chosen.length > 0 && !chosen.some((word) => check.includes(word))) continue;
  const start = readFileSync(join(root, file), 'utf8').indexOf(find);
  const mutant = { file, start, end: start + find.length, mutated: replace };
  const { file: by, test = '' } = await crewman.run({ mutant, files: [...tests] });
  if (by === undefined) missed += 1;
  process.stdout.write(`| ${item} | ${check} | \`${file}\` | ${by === undefined ? 'SURVIVED' : `\`${by}\`: ${test}`} |\n`);
}
crewman.stop();
process.exit(missed === 0 ? 0 : 1);
