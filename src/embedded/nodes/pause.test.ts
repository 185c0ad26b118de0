import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Pod } from '../../api/kinds/pod.ts';
import type { Cluster } from '../../kube/cluster.ts';
import { realWorld } from '../world.ts';
import { RunningPod } from './kubelet.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it.each([1_000, 2 ** 31 - 1, 2 ** 31, 2 ** 32])('a pod that starts after %d ms reports nothing before', async (startupMs) => {
  const patch = vi.fn(async () => ({}));
  const pod: Pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'slow', namespace: 'test' }, spec: {} };
  const running = new RunningPod(
    { patch } as unknown as Cluster,
    { bind: vi.fn(), forceDelete: vi.fn() },
    pod,
    { podIP: '10.0.0.1', hostIP: '10.0.0.2' },
    {
      startupMs,
      graceScale: 1,
      probeScale: 1,
      world: { ...realWorld, random: () => 0 },
      appFor: () => ({ waitsFor: 'CreateContainerConfigError' }),
      onError: vi.fn(),
    },
  );
  await vi.advanceTimersByTimeAsync(startupMs - 1);
  expect(patch).toHaveBeenCalledTimes(0);
  await vi.advanceTimersByTimeAsync(1);
  expect(patch).toHaveBeenCalledTimes(1);
  await running.kill();
});
