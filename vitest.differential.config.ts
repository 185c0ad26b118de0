import { defineConfig } from 'vitest/config';

/** A sample of the scenarios that the real Flagger and Serin play beside each other: docs/testing.md. */
export default defineConfig({
  test: {
    name: 'differential',
    update: 'none',
    setupFiles: ['./test/fakes/no-unmoved.ts'],
    include: ['test/differential/run/**/*.test.ts'],
    globalSetup: ['test/fakes/own-temporary.ts', 'test/fakes/bundled-program.ts'],
    testTimeout: 60_000,
    hookTimeout: 180_000,
  },
});
