import type { Observer } from '../../api/observer.ts';
import { percentiles, successRate } from './shapes.ts';

/** Envoy's own upstream metrics; the products differ in how they name the canary's cluster. Sources: 05-B12–B16. */
export function envoy(name: string, selector: string, selectsWorkload = false): Observer {
  return {
    name,
    ...successRate('envoy_cluster_upstream_rq', selector, 'envoy_response_code!~"5.*"'),
    ...percentiles('envoy_cluster_upstream_rq_time_bucket', selector),
    durationUnit: 'ms',
    selectsWorkload,
  };
}
