import { Counter, Gauge, Histogram, type LabelValues, type Registry } from '@prometheus-io/client';

/** Makes the metrics of one registry. */
export function metersIn(registry: Registry) {
  const registers = [registry];
  return {
    counter: <Label extends string>(name: string, help: string, labelNames: readonly Label[] = []) =>
      new Counter({ name, help, labelNames, registers }),
    gauge: <Label extends string>(name: string, help: string, labelNames: readonly Label[] = []) =>
      new Gauge({ name, help, labelNames, registers }),
    /** Without `buckets` those of the client. */
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

/**
 * All metrics in Prometheus' text format, as `registry.metrics()` writes them, but each in a turn of the event loop of its own: those of ten
 * thousand Canaries take seconds, in which no timer rings and no answer is read.
 */
export async function metricsText(registry: Registry): Promise<string> {
  const texts: string[] = [];
  for (const { name } of registry.getMetricsAsArray()) {
    texts.push(await registry.getSingleMetricAsString(name));
    await new Promise((resolve) => setImmediate(resolve));
  }
  return `${texts.join('\n\n')}\n`;
}
