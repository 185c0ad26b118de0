import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/fakes/longest-first.ts';

const bounds = { testTimeout: 300_000, hookTimeout: 120_000 };
/** They put other modules in the place of ours, which others of their process would have loaded by then. */
const MOCKING = ['test/integration/unchecked-promotion.test.ts', 'test/integration/unwatched-configs.test.ts'];

/**
 * `unit`: what sits beside the code, contracts and goldens. `integration`: the controller on the embedded cluster, mostly in virtual time;
 * `mocking`: those of them that need a process of their own.
 * Bounds of tests, hooks and waits are guards against hanging, and many times what an idle machine needs.
 */
export default defineConfig({
  test: {
    // Some integration tests wait in real time: as many workers as cores would leave one idle.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    // One second is a guess about how busy the machine is.
    expect: { poll: { timeout: 60_000 } },
    projects: [
      {
        test: {
          name: 'unit',
          // A process and its modules for each of 350 files cost as much as all tests in them.
          isolate: false,
          testTimeout: 120_000,
          hookTimeout: 120_000,
          setupFiles: ['test/fakes/fixed-seed.ts', 'test/fakes/real-world.ts'],
          include: [
            'src/**/*.test.ts',
            'test/contracts/**/*.test.ts',
            'test/golden/**/*.test.ts',
            'test/*.test.ts',
            'test/differential/**/*.test.ts',
          ],
          exclude: ['test/differential/run/**'],
        },
      },
      {
        test: {
          ...bounds,
          name: 'integration',
          globalSetup: 'test/fakes/bundled-program.ts',
          // Modules are loaded and compiled once in each worker: that is a third of all work.
          isolate: false,
          setupFiles: ['test/fakes/real-world.ts'],
          include: ['test/integration/**/*.test.ts'],
          exclude: MOCKING,
        },
      },
      { test: { ...bounds, name: 'mocking', include: MOCKING } },
    ],
  },
});
