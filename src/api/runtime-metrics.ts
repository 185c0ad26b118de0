import { collectDefaultMetrics, type Registry } from '@prometheus-io/client';

const UTILIZATION = ['nodejs_eventloop_utilization_histogram', 'nodejs_eventloop_utilization_summary'];
/** The longest that Node takes, 24 days. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Metrics of the process and of Node. Those of event loop utilization are left out: their timer would wake an idle process ten times a second. */
export function runtimeMetrics(registry: Registry): void {
  collectDefaultMetrics({ register: registry, ...{ eventLoopUtilizationTimeout: LONGEST_TIMER_MS } });
  for (const name of UTILIZATION) registry.removeSingleMetric(name);
}
