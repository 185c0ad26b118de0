/** A process that tries mutants one after the other, each in fresh workers of one vitest. Nothing is changed on the disk. */
import { join, relative } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';
import { type Mutant, root, withMutant } from './candidates.ts';
import { specificationsOf, unitTests } from './unit-tests.ts';

/** Argument of a worker for files with a process of their own. */
const BARE = 'bare';

export interface Job {
  mutant: Pick<Mutant, 'file' | 'start' | 'end' | 'mutated'>;
  files: string[];
}

/** The test that has noticed the mutant; without one it has survived. */
export interface Tried {
  file?: string;
  test?: string;
  error?: string;
}

export type FromWorker = { ready: true } | { alive: true } | { tried: Tried };

let current: Job['mutant'] | undefined;
const say = (message: FromWorker): void => {
  process.send?.(message);
};
const reporter: Reporter = {
  onTestModuleCollected: () => say({ alive: true }),
  onTestCaseResult: () => say({ alive: true }),
  onTestModuleEnd: () => say({ alive: true }),
};
const vitest = await unitTests({
  load: (file, text) => (current?.file === file ? withMutant(text, current) : text),
  ...{ reporter, isBailing: true, maxWorkers: 1, isBare: process.argv.includes(BARE) },
});

async function tryMutant({ mutant, files }: Job): Promise<Tried> {
  current = mutant;
  const path = join(root, mutant.file);
  vitest.invalidateFile(path);
  try {
    const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specificationsOf(vitest, files));
    const asked = new Set(files);
    const failed = testModules.filter((module) => asked.has(relative(root, module.moduleId))).find((module) => module.state() === 'failed');
    if (failed) return { file: relative(root, failed.moduleId), ...firstFailure(failed) };
    const [error] = unhandledErrors;
    return error ? { file: 'unhandled error', error: String(messageOf(error)) } : {};
  } finally {
    current = undefined;
    vitest.invalidateFile(path);
  }
}

function firstFailure(module: TestModule): Omit<Tried, 'file'> {
  for (const test of module.children.allTests('failed')) return { test: test.fullName, error: messageOf(test.result().errors?.[0]) };
  const suites = [...module.children.allSuites()].flatMap((suite) => suite.errors());
  return { test: '(while it was loaded)', error: messageOf([...module.errors(), ...suites][0]) };
}

const messageOf = (error: unknown): string => {
  const message = typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : String(error);
  return (message.split('\n')[0] ?? '').slice(0, 160);
};

process.on('message', async (job: Job) => {
  try {
    say({ tried: await tryMutant(job) });
  } catch (error) {
    say({ tried: { file: 'error outside of tests', error: messageOf(error) } });
  }
});
process.on('disconnect', () => process.exit(0));
say({ ready: true });
