import { defineConfig } from 'vitest/config';

/** Real control planes and proxies, in a network namespace that `npm run test:planes` makes: docs/testing.md. */
export default defineConfig({
  test: {
    name: 'planes',
    update: 'none',
    include: ['test/planes/**/*.test.ts'],
    globalSetup: ['test/fakes/own-temporary.ts', 'test/fakes/bundled-program.ts'],
    testTimeout: 300_000,
    hookTimeout: 180_000,
    // Each file has a control plane of its own, and ports of the namespace.
    fileParallelism: false,
  },
});
