import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/fakes/longest-first.ts';

/**
 * The integration suite on etcd, kube-apiserver, kube-controller-manager and Prometheus, which test/e2e starts. Each file has a control plane
 * of its own and mostly waits: two at once fit on two cores. `--shard=1/3` plays a third of the files that take minutes, and all others.
 */
export default defineConfig({
  test: {
    name: 'e2e',
    update: 'none',
    include: ['test/e2e/**/*.test.ts'],
    globalSetup: ['test/fakes/own-temporary.ts', 'test/fakes/bundled-program.ts'],
    testTimeout: 300_000,
    hookTimeout: 180_000,
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
  },
});
