import type { Mutant } from './candidates.ts';

/** Why no test can notice a mutant. The line's text stands for its place, so that code above it may grow. */
export interface Verdict {
  file: string;
  /** The line in which the change begins, without white space around it. */
  within: string;
  /** What is replaced, and by what. */
  original: string;
  mutated: string;
  /** Behaviour is the same in every case, because … */
  equivalent: string;
}

export const verdicts: readonly Verdict[] = [
  {
    file: 'src/controller/deletion/deletions.ts',
    within: 'if (uninstall?.atMs === deletion.uninstall?.atMs && (uninstall === undefined) === (deletion.uninstall === undefined)) return;',
    original: 'uninstall?.atMs === deletion.uninstall?.atMs && (uninstall === undefined) === (deletion.uninstall === undefined)',
    mutated: 'false',
    equivalent: 'the Canary that waits is looked at once more, and a condition that says the same is not written again',
  },
  {
    file: 'src/controller/deletion/deletions.ts',
    within: 'if (uninstall) deletion.uninstall = uninstall;',
    original: 'uninstall',
    mutated: 'true',
    equivalent: 'a field that is undefined is read like one that is absent',
  },
  {
    file: 'src/engine/judge.ts',
    within: 'return analysis.threshold > 0 ? analysis.threshold : 1;',
    original: '0',
    mutated: '1',
    equivalent: 'a threshold of 1 is 1 on both sides of the condition',
  },
];

/** The verdict on a mutant, for whatever seed it was drawn. */
export const verdictOn = (mutant: Pick<Mutant, 'file' | 'within' | 'original' | 'mutated'>): Verdict | undefined =>
  verdicts.find(
    ({ file, within, original, mutated }) =>
      file === mutant.file && within === mutant.within && original === mutant.original && mutated === mutant.mutated,
  );
