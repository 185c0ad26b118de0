import { defineConfig } from 'vitest/config';

/** Kill runs, adversaries, shares and the hostile corpus: test/long/README.md. One file at a time, each alone on the machine. */
export default defineConfig({
  test: {
    name: 'long',
    update: 'none',
    setupFiles: ['./test/fakes/no-unmoved.ts'],
    include: ['test/long/**/*.test.ts'],
    globalSetup: ['test/fakes/own-temporary.ts', 'test/fakes/bundled-program.ts'],
    testTimeout: 30 * 60_000,
    hookTimeout: 180_000,
    fileParallelism: false,
    passWithNoTests: true,
  },
});
