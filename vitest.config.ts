import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/fakes/longest-first.ts';
import { OWN_PROCESS } from './test/fakes/own-process.ts';
import { leftOut } from './test/fakes/sampled-files.ts';

const bounds = { testTimeout: 300_000, hookTimeout: 120_000 };
const LEFT_OUT = leftOut(process.argv.slice(2));
/** Tests beside the code, contracts and goldens: the end of a name says the tier, and no end says `unit`. */
const beside = (ending: string): string[] =>
  ['src/**/*', 'test/contracts/**/*', 'test/golden/**/*', 'test/*', 'test/application/**/*', 'test/differential/**/*'].map(
    (files) => `${files}${ending}.test.ts`,
  );
const simulated = beside('.simulated');
const integration = beside('.integration');

/**
 * Files of one worker share a process and its modules: to load them for each of 500 files costs as much as all tests in them.
 * Node loads the sources as they are: through Vite's module runner each use of an import is the call of a getter, and takes a fifth more.
 */
const shared = { isolate: false, experimental: { viteModuleRunner: false, nodeLoader: false } };

/**
 * `unit`: pure code, at most a second a file. `simulated`: whole controllers in virtual time, and searches over many generated inputs. Both start no
 * process and open no socket, which `test/fakes/nothing-outside.ts` holds. `integration`: what needs one of these, and the controller on the
 * embedded cluster, mostly in virtual time. `own-process`: files that need a process of their own.
 * Bounds of tests, hooks and waits are guards against hanging, and many times what an idle machine needs.
 */
export default defineConfig({
  test: {
    globalSetup: 'test/fakes/own-temporary.ts',
    // Some integration tests wait in real time: as many workers as cores would leave one idle.
    maxWorkers: 3,
    // A golden file that is missing fails: without `-u` none is written.
    update: 'none',
    sequence: { sequencer: LongestFirst },
    // One second is a guess about how busy the machine is.
    expect: { poll: { timeout: 60_000 } },
    projects: [
      {
        test: {
          ...shared,
          name: 'unit',
          testTimeout: 120_000,
          hookTimeout: 120_000,
          setupFiles: ['./test/fakes/fixed-seed.ts', './test/fakes/no-unmoved.ts', './test/fakes/nothing-outside.ts'],
          include: beside(''),
          exclude: ['test/differential/run/**', ...simulated, ...integration, ...OWN_PROCESS],
        },
      },
      {
        test: {
          ...shared,
          ...bounds,
          name: 'simulated',
          setupFiles: ['./test/fakes/fixed-seed.ts', './test/fakes/no-unmoved.ts', './test/fakes/nothing-outside.ts'],
          include: simulated,
        },
      },
      {
        test: {
          ...shared,
          ...bounds,
          name: 'integration',
          globalSetup: './test/fakes/bundled-program.ts',
          setupFiles: ['./test/fakes/fixed-seed.ts', './test/fakes/no-unmoved.ts', './test/fakes/real-world.ts'],
          include: ['test/integration/**/*.test.ts', ...integration],
          exclude: [...OWN_PROCESS, ...LEFT_OUT],
        },
      },
      { test: { ...bounds, name: 'own-process', include: [...OWN_PROCESS], exclude: LEFT_OUT } },
    ],
  },
});
