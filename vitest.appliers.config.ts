import { defineConfig } from 'vitest/config';

/** What the tools that apply manifests do to a Canary's objects, on a real control plane: docs/testing.md. */
export default defineConfig({
  test: {
    name: 'appliers',
    update: 'none',
    setupFiles: ['./test/fakes/no-unmoved.ts'],
    include: ['test/appliers/run/**/*.test.ts'],
    globalSetup: ['test/fakes/own-temporary.ts', 'test/fakes/bundled-program.ts'],
    testTimeout: 1_800_000,
    hookTimeout: 180_000,
  },
});
