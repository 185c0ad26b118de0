import { Registry } from '@prometheus-io/client';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Delays, eventLoopLag, loopDelays } from './event-loop-lag.ts';
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

describe('the lag of the event loop', () => {
  /** Measurements of Node, in nanoseconds. Each includes the second between two measurements. */
  const measured = { count: 4, min: 1.0e9, max: 1.3e9, mean: 1.1e9, stddev: 0.1e9, percentile: (part: number) => 1e9 + part * 1e6 };
  const shownOf = async (delays: Delays) => {
    const registry = new Registry();
    eventLoopLag(registry, delays);
    const lines = (await registry.metrics()).matchAll(/^nodejs_eventloop_lag(\w*)_seconds (.+)$/gm);
    return new Map([...lines].map(([, name = '', value]) => [name, Number(value)]));
  };

  it('is shown without the second between two measurements, and a scrape forgets it', async () => {
    const reset = vi.fn();
    const { '': now, ...shown } = Object.fromEntries(await shownOf({ ...measured, reset }));
    for (const [name, seconds] of Object.entries({ _min: 0, _max: 0.3, _mean: 0.1, _stddev: 0.1, _p50: 0.05, _p90: 0.09, _p99: 0.099 }))
      expect(shown[name], name).toBeCloseTo(seconds, 9);
    expect(Object.keys(shown)).toHaveLength(7);
    expect(now).toBeGreaterThanOrEqual(0);
    expect(reset).toHaveBeenCalledTimes(1);
  });

  it('is 0 before the first measurement', async () => {
    const shown = await shownOf({ ...measured, count: 0, reset: () => undefined });
    expect([...shown].filter(([name, seconds]) => name !== '' && seconds !== 0)).toEqual([]);
  });

  it('is measured by Node', async () => {
    const delays = loopDelays();
    await expect.poll(() => delays.count).toBeGreaterThan(0);
  });
});
