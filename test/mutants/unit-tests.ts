import { join, matchesGlob } from 'node:path';
import { BaseSequencer, createVitest, type Reporter, type TestSpecification, type Vitest } from 'vitest/node';
import { root } from './candidates.ts';

/** Runs files in the requested order. */
class AsAsked extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files;
  }
}

export interface UnitTestOptions {
  /** The text of a source, by its name in the repository, as the tests shall load it. */
  load(file: string, text: string): string;
  reporter: Reporter;
  /** Stop at the first test that fails. */
  isBailing: boolean;
  maxWorkers: number;
  setupFiles?: readonly string[];
  /** Without our set-up, whose modules a file with a process of its own must not find loaded. */
  isBare?: boolean;
  env?: Record<string, string>;
}

/** Tests beside the code, contracts and goldens, of every tier of `npm test`; those of test/integration play too long for a mutant. */
const BESIDE_THE_CODE = ['src/**/*.test.ts', 'test/{contracts,golden,differential}/**/*.test.ts', 'test/*.test.ts'];
const NOT_BESIDE = 'test/differential/run/**';
/** As in `npm test`. */
export const SET_UP = ['test/fakes/fixed-seed.ts', 'test/fakes/no-unmoved.ts', 'test/fakes/real-world.ts'];

/** True if a mutant is tried with this test file. */
export const isBesideTheCode = (file: string): boolean =>
  BESIDE_THE_CODE.some((files) => matchesGlob(file, files)) && !matchesGlob(file, NOT_BESIDE);

/** The tests beside the code, whose sources `load` can change on their way from the disk. */
export async function unitTests({
  load,
  reporter,
  isBailing,
  maxWorkers,
  setupFiles = [],
  isBare = false,
  env = {},
}: UnitTestOptions): Promise<Vitest> {
  return createVitest(
    'test',
    {
      ...{ config: false, root, watch: false, update: 'none', reporters: [reporter], bail: isBailing ? 1 : 0, maxWorkers, env },
      ...{ isolate: false, include: BESIDE_THE_CODE, exclude: [NOT_BESIDE, '**/node_modules/**'] },
      // Its key knows nothing of the changes, and later runs of others would load mutants from it.
      fsModuleCache: false,
      // An endless wait ends sooner than in a run that nothing is wrong with.
      ...{ testTimeout: 60_000, hookTimeout: 60_000, sequence: { sequencer: AsAsked } },
      // A busy machine takes no mutant for noticed.
      expect: { poll: { timeout: 30_000 } },
      setupFiles: [...(isBare ? [] : SET_UP), ...setupFiles],
    },
    {
      plugins: [
        {
          name: 'serin-mutants',
          enforce: 'pre',
          transform(text: string, id: string) {
            const file = id.split('?')[0] ?? id;
            const changed = file.startsWith(join(root, 'src')) ? load(file.slice(root.length + 1), text) : text;
            return changed === text ? undefined : { code: changed, map: null };
          },
        },
      ],
    },
  );
}

/** What to run, in this order. */
export const specificationsOf = (vitest: Vitest, files: readonly string[]): TestSpecification[] =>
  files.map((file) => vitest.getRootProject().createSpecification(join(root, file)));
