import { defineConfig } from 'vitest/config';

/** The integration suite on etcd, kube-apiserver, kube-controller-manager and Prometheus; what starts them is in test/e2e. */
export default defineConfig({
  test: { name: 'e2e', include: ['test/e2e/**/*.test.ts'], testTimeout: 300_000, hookTimeout: 180_000, fileParallelism: false },
});
