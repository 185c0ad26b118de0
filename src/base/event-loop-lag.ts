import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Gauge, type Registry } from '@prometheus-io/client';
import { systemClock } from './clock.ts';

/** The library's default of 10 ms wakes an idle process a hundred times a second; even ten times costs half as much as all else that it does. */
const EVERY_MS = 1_000;

export type Delays = Pick<ReturnType<typeof monitorEventLoopDelay>, 'count' | 'min' | 'max' | 'mean' | 'stddev' | 'percentile' | 'reset'>;

/** Measured by Node from now on. */
export function loopDelays(): Delays {
  const histogram = monitorEventLoopDelay({ resolution: EVERY_MS });
  histogram.enable();
  return histogram;
}

const STATISTICS: Readonly<Record<string, { help: string; nanoseconds(histogram: Delays): number }>> = {
  min: { help: 'The shortest', nanoseconds: ({ min }) => min },
  max: { help: 'The longest', nanoseconds: ({ max }) => max },
  mean: { help: 'The mean', nanoseconds: ({ mean }) => mean },
  p50: { help: 'The 50th percentile', nanoseconds: (histogram) => histogram.percentile(50) },
  p90: { help: 'The 90th percentile', nanoseconds: (histogram) => histogram.percentile(90) },
  p99: { help: 'The 99th percentile', nanoseconds: (histogram) => histogram.percentile(99) },
};

/**
 * Delays of the event loop, measured once a second: a shorter block can fall between two measurements. The names are those of prom-client, without its floor of
 * the time between two measurements.
 */
export function eventLoopLag(registry: Registry, histogram: Delays = loopDelays()): void {
  const registers = [registry];
  for (const [name, { help, nanoseconds }] of Object.entries(STATISTICS)) {
    new Gauge({
      name: `nodejs_eventloop_lag_${name}_seconds`,
      help: `${help} of the event loop's delays since the last scrape`,
      registers,
      collect() {
        this.set(histogram.count === 0 ? 0 : Math.max(0, nanoseconds(histogram) / 1e9 - EVERY_MS / 1e3));
      },
    });
  }
  new Gauge({
    name: 'nodejs_eventloop_lag_stddev_seconds',
    help: "The standard deviation of the event loop's delays since the last scrape",
    registers,
    // The last one of them.
    collect() {
      this.set(histogram.count === 0 ? 0 : histogram.stddev / 1e9);
      histogram.reset();
    },
  });
  new Gauge({
    name: 'nodejs_eventloop_lag_seconds',
    help: 'The delay of the event loop at this scrape',
    registers,
    async collect() {
      const startedMs = systemClock.monotonicMs();
      await new Promise((resolve) => setImmediate(resolve));
      this.set((systemClock.monotonicMs() - startedMs) / 1e3);
    },
  });
}
