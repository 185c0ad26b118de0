import { defineConfig } from 'vitest/config';

/** A real node, in namespaces that `npm run test:node` makes: test/node/README.md. */
export default defineConfig({
  test: {
    name: 'node',
    update: 'none',
    include: ['test/node/**/*.test.ts'],
    globalSetup: ['test/fakes/own-temporary.ts', 'test/fakes/bundled-program.ts'],
    testTimeout: 600_000,
    hookTimeout: 300_000,
    // One node, whose containers the tests share.
    fileParallelism: false,
  },
});
