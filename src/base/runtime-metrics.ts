import { collectDefaultMetrics, type Registry } from '@prometheus-io/client';
import { eventLoopLag } from './event-loop-lag.ts';

const UTILIZATION = ['nodejs_eventloop_utilization_histogram', 'nodejs_eventloop_utilization_summary'];
const LAG = ['', '_min', '_max', '_mean', '_stddev', '_p50', '_p90', '_p99'].map((name) => `nodejs_eventloop_lag${name}_seconds`);
/** The longest that Node takes, 24 days. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Metrics of the process and of Node. Those of event loop utilization are left out, and those of its lag are measured once a second: their
 * timers would wake an idle process ten and a hundred times a second.
 */
export function runtimeMetrics(registry: Registry): void {
  const rarely = { eventLoopUtilizationTimeout: LONGEST_TIMER_MS, eventLoopMonitoringPrecision: LONGEST_TIMER_MS };
  collectDefaultMetrics({ register: registry, ...rarely });
  for (const name of [...UTILIZATION, ...LAG]) registry.removeSingleMetric(name);
  eventLoopLag(registry);
}
