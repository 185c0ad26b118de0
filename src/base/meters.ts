import { Counter, Gauge, Histogram, type LabelValues, type Registry } from '@prometheus-io/client';
import { type Clock, systemClock } from './clock.ts';

/** Makes the metrics of one registry. */
export function metersIn(registry: Registry) {
  const registers = [registry];
  return {
    counter: <Label extends string>(name: string, help: string, labelNames: readonly Label[] = []) =>
      new Counter({ name, help, labelNames, registers }),
    gauge: <Label extends string>(name: string, help: string, labelNames: readonly Label[] = []) =>
      new Gauge({ name, help, labelNames, registers }),
    /** Default `buckets`: those of the client. */
    histogram: <Label extends string>(name: string, help: string, labelNames: readonly Label[] = [], buckets?: number[]) =>
      new Histogram({ name, help, labelNames, registers, ...(buckets && { buckets }) }),
    /** `read` gives all series at each scrape, each once; none is kept until the next one. */
    gaugeRead: <Label extends string>(
      name: string,
      help: string,
      labelNames: readonly Label[],
      read: () => Iterable<readonly [LabelValues<Label>, number]>,
    ): void => {
      const gauge = new Gauge({ name, help, labelNames, registers });
      const describe = gauge.get.bind(gauge);
      const values = () => Array.from(read(), ([labels, value]) => ({ labels, value }));
      gauge.get = async () => ({ ...(await describe()), values: values() });
    },
    /** `read` gives all values at each scrape; those of the same labels are added up. */
    gaugeOf: (name: string, help: string, read: () => Iterable<readonly [Record<string, string>, number]>, ...labelNames: string[]) =>
      new Gauge({
        name,
        help,
        labelNames,
        registers,
        collect() {
          this.reset();
          for (const [labels, value] of read()) this.inc(labels, value);
        },
      }),
  };
}

/** Other work waits no longer for a scrape, but for the metric that takes the longest. A turn after each metric would make a busy process late. */
const SLICE_MS = 20;

/**
 * All metrics in Prometheus' text format, as `registry.metrics()` writes them, with turns of the event loop in between: those of ten thousand
 * Canaries take seconds, in which no timer rings and no answer is read.
 */
export async function metricsText(registry: Registry, clock: Pick<Clock, 'monotonicMs'> = systemClock): Promise<string> {
  const texts: string[] = [];
  let beganMs = clock.monotonicMs();
  for (const { name } of registry.getMetricsAsArray()) {
    texts.push(await registry.getSingleMetricAsString(name));
    if (clock.monotonicMs() - beganMs < SLICE_MS) continue;
    await new Promise((resolve) => setImmediate(resolve));
    beganMs = clock.monotonicMs();
  }
  return `${texts.join('\n\n')}\n`;
}
