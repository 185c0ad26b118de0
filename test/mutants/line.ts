/** Tries every mutant of some lines against given tests: `node test/mutants/line.ts src/engine/judge.ts:31 src/engine/judge.test.ts …`. */
import { mutantsOf } from './candidates.ts';
import { Crewman } from './crew.ts';

const [place = '', ...files] = process.argv.slice(2);
const [file = '', range = '1'] = place.split(':');
const [from = '1', to = from] = range.split('-');
const crewman = new Crewman();
for (const mutant of mutantsOf('engine', file)) {
  if (mutant.line < Number(from) || mutant.line > Number(to)) continue;
  const { file: by, test = '', seconds } = await crewman.run({ mutant, files });
  const change = `${mutant.original.replace(/\s+/g, ' ').slice(0, 60)} → ${mutant.mutated}`;
  process.stdout.write(
    `${by ? 'killed  ' : 'SURVIVED'} ${seconds.toFixed(1)} s ${mutant.id} :${mutant.line}:${mutant.column} ${mutant.kind} ${change} [${by ?? ''} ${test}]\n`,
  );
}
crewman.stop();
process.exit(0);
