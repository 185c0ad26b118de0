import type { Observer } from '../../api/observer.ts';
import { percentiles, successRate } from './shapes.ts';

/** Metrics of sidecars, which count the requests of each workload. */
export function mesh(name: string, metric: string, buckets: string, selector: string, succeeded: string, selectsWorkload = true): Observer {
  return {
    name,
    ...successRate(metric, selector, succeeded),
    ...percentiles(buckets, selector),
    durationUnit: 'ms',
    selectsWorkload,
  };
}
