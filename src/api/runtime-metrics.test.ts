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

it('measures the lag of the event loop without the time between two measurements', async () => {
  const registry = new Registry();
  runtimeMetrics(registry);
  const lagOf = async (name: string) =>
    Number(new RegExp(`^nodejs_eventloop_lag${name}_seconds (.+)$`, 'm').exec(await registry.metrics())?.[1]);
  // A scrape forgets the last measurement, which the next one counts from.
  const afterABlock = async () => {
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    // Longer than the time between two measurements, so that one falls into it.
    const endMs = performance.now() + 1_300;
    while (performance.now() < endMs);
    await new Promise((resolve) => setTimeout(resolve, 50));
    return lagOf('_max');
  };
  await expect.poll(afterABlock).toBeGreaterThan(0.15);
  expect(await lagOf('')).toBeGreaterThanOrEqual(0);
});
