import { defineConfig } from 'vitest/config';

/** The mistakes that people make, on the embedded cluster and on a real control plane: test/mistakes/README.md. */
export default defineConfig({
  test: {
    name: 'mistakes',
    update: 'none',
    include: ['test/mistakes/**/*.test.ts'],
    globalSetup: ['test/fakes/own-temporary.ts', 'test/fakes/bundled-program.ts'],
    testTimeout: 300_000,
    hookTimeout: 180_000,
    // The seconds of one cluster would contain the work of the other.
    fileParallelism: false,
  },
});
