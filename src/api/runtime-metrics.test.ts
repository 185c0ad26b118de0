import { Registry } from '@prometheus-io/client';
import { afterEach, expect, it, vi } from 'vitest';
import { runtimeMetrics } from './runtime-metrics.ts';

afterEach(() => vi.restoreAllMocks());

it('I10: sets no timer that would wake an idle process, and has no metric of what is not collected', async () => {
  const intervals = vi.spyOn(globalThis, 'setInterval');
  const registry = new Registry();
  runtimeMetrics(registry);
  expect(intervals.mock.calls.filter(([, ms = 0]) => ms < 24 * 3_600_000)).toEqual([]);
  const text = await registry.metrics();
  expect(text).toContain('process_cpu_seconds_total');
  expect(text).not.toContain('nodejs_eventloop_utilization');
});
