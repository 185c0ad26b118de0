import { createControllerMetrics } from '../../src/controller/telemetry/controller-metrics.ts';

export interface MetricRow {
  name: string;
  type: string;
  labels: readonly string[];
  help: string;
}

/** Every metric of our own, as the controller registers it; those of the process (`process_*`, `nodejs_*`) come with the Prometheus client. */
export async function metricRows(): Promise<MetricRow[]> {
  const { registry } = createControllerMetrics('docs');
  const all = await registry.getMetricsAsJSON();
  return all
    .filter(({ name }) => /^(flagger|serin)_/.test(name))
    .map(({ name, help, type }) => {
      const { labelNames = [] } = registry.getSingleMetric(name) as unknown as { labelNames?: readonly string[] };
      return { name, help, type: String(type), labels: labelNames };
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}
