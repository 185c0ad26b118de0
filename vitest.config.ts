import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/build/longest-first.ts';

/**
 * `unit`: what sits beside the code, contracts and goldens. `integration`: the controller on the embedded cluster, mostly in virtual time.
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
          setupFiles: ['test/build/fixed-seed.ts'],
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
          name: 'integration',
          include: ['test/integration/**/*.test.ts'],
          globalSetup: 'test/build/bundled-program.ts',
          testTimeout: 300_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
