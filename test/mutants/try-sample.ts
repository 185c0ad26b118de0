import type { Mutant } from './candidates.ts';
import { countedOnce } from './counting-run.ts';
import { Crewman } from './crew.ts';
import { relatedTests } from './related-tests.ts';
import { outcomeOf, type Row } from './results.ts';

const WORKERS = 2;

/** Calls `onRow` with each mutant as soon as its tests have run; `sample`: of which they are a part, so that the tests are counted once. */
export async function tryMutants(
  mutants: readonly Mutant[],
  onRow: (row: Row) => void,
  sample: readonly Mutant[] = mutants,
): Promise<void> {
  if (mutants.length === 0) return;
  const counted = await countedOnce(sample);
  const waiting = [...mutants];
  const work = async (): Promise<void> => {
    const crewman = new Crewman();
    try {
      for (let mutant = waiting.shift(); mutant; mutant = waiting.shift()) {
        const related = relatedTests(mutant, counted);
        const attempt = await crewman.run({ mutant, files: related.files });
        const { anchor: _, start: __, end: ___, ...kept } = mutant;
        onRow({ mutant: kept, attempt, files: related.files.length, all: related.all });
      }
    } finally {
      crewman.stop();
    }
  };
  await Promise.all(Array.from({ length: WORKERS }, work));
}

/** A line of progress. */
export function progressOf(row: Row): string {
  const { mutant, attempt, files, all } = row;
  const by = attempt.file === undefined ? `${files} of ${all} files` : `${attempt.file}${attempt.test ? ` > ${attempt.test}` : ''}`;
  const change = `${mutant.original.replace(/\s+/g, ' ').slice(0, 50)} → ${mutant.mutated.slice(0, 50)}`;
  return `${outcomeOf(row).padEnd(10)} ${attempt.seconds.toFixed(1).padStart(6)} s ${mutant.id} ${mutant.file}:${mutant.line}:${mutant.column} ${mutant.kind} ${change} [${by}]`;
}
