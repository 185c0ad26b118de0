import { join, relative } from 'node:path';
import { BaseSequencer, createVitest, type TestCase, type TestSpecification } from 'vitest/node';

export interface TestOutcome {
  readonly file: string;
  readonly title: string;
  readonly state: 'passed' | 'failed';
  readonly message: string;
}

/**
 * Runs these files of `npm test` in their order, and ends after a time: `left` are the files that were not run to their end by then. A file that does not load
 * counts as a failed test.
 */
export async function runFor(root: string, files: readonly string[], ms: number): Promise<{ tests: TestOutcome[]; left: string[] }> {
  const place = new Map(files.map((file, index) => [join(root, file), index]));
  class InOrder extends BaseSequencer {
    override async sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
      return specifications.toSorted((a, b) => (place.get(a.moduleId) ?? 0) - (place.get(b.moduleId) ?? 0));
    }
  }
  // The project `integration` bundles the program first.
  const project = files.some((file) => file.endsWith('.integration.test.ts'))
    ? ['unit', 'simulated', 'integration']
    : ['unit', 'simulated'];
  const vitest = await createVitest({ root, watch: false, project, reporters: [{}], sequence: { sequencer: InOrder }, maxWorkers: 2 }, {});
  try {
    const found = await vitest.globTestSpecifications([...files]);
    const wanted = found.filter(({ moduleId }) => place.has(moduleId));
    const timer = setTimeout(() => void vitest.cancelCurrentRun('keyboard-input'), ms);
    const { testModules, unhandledErrors } = await vitest.runTestSpecifications(wanted);
    clearTimeout(timer);
    const tests: TestOutcome[] = unhandledErrors.map((error) => ({
      file: '',
      title: 'an error outside of all tests',
      state: 'failed',
      message: String(error),
    }));
    const done = new Set<string>();
    for (const module of testModules) {
      const file = relative(root, module.moduleId);
      const cases = [...module.children.allTests()];
      if (cases.every((one) => one.result().state !== 'pending') && module.state() !== 'queued') done.add(file);
      for (const error of module.errors()) tests.push({ file, title: 'the file does not load', state: 'failed', message: error.message });
      tests.push(...cases.flatMap((one) => outcomeOf(one, file)));
    }
    return { tests, left: files.filter((file) => !done.has(file)) };
  } finally {
    await vitest.close();
  }
}

function outcomeOf(one: TestCase, file: string): TestOutcome[] {
  const { state, errors } = one.result();
  if (state !== 'passed' && state !== 'failed') return [];
  return [{ file, title: one.fullName, state, message: (errors ?? []).map((error) => error.stack ?? error.message).join('\n') }];
}
