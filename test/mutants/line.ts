/** Tries every mutant of some lines against given tests: `node test/mutants/line.ts src/engine/judge-checks.ts:31 src/engine/judge-checks.test.ts …`. */
import { mutantsOf } from './candidates.ts';
import { Crewman } from './crew.ts';

const [place = '', ...files] = process.argv.slice(2);
const [file = '', range = '1'] = place.split(':');
const [from = '1', to = from] = range.split('-');
const crewman = new Crewman();
const mutants = mutantsOf('engine', file).filter(({ line }) => line >= Number(from) && line <= Number(to));
const [first] = mutants;
if (first) {
  const asItIs = await crewman.run({ mutant: { ...first, mutated: first.original }, files });
  if (asItIs.file) throw new Error(`${asItIs.file} fails without a mutant: ${asItIs.test ?? ''} ${asItIs.error ?? ''}`);
}
for (const mutant of mutants) {
  const { file: by, test = '', seconds } = await crewman.run({ mutant, files });
  const change = `${mutant.original.replace(/\s+/g, ' ').slice(0, 60)} → ${mutant.mutated}`;
  process.stdout.write(
    `${by ? 'killed  ' : 'SURVIVED'} ${seconds.toFixed(1)} s ${mutant.id} :${mutant.line}:${mutant.column} ${mutant.kind} ${change} [${by ?? ''} ${test}]\n`,
  );
}
crewman.stop();
process.exit(0);
