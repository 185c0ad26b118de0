import type { Observer } from '../../api/observer.ts';
import { bothSides, percentiles, successRate } from './shapes.ts';

const requests = 'envoy_cluster_upstream_rq';
const buckets = 'envoy_cluster_upstream_rq_time_bucket';
const succeeded = 'envoy_response_code!~"5.*"';

interface EnvoySides {
  /** Matchers, in which the products differ. */
  canary: string;
  primary: string;
  selectsWorkload?: boolean;
  podLabel?: string;
}

/** Envoy's own upstream metrics; the products differ in how they name a cluster. */
export function envoy(name: string, { canary, primary, selectsWorkload = false, podLabel }: EnvoySides): Observer {
  const metrics = { requests, buckets, succeeded, bucketUnit: 'ms', ...(podLabel && { podLabel }) } as const;
  return {
    name,
    ...successRate(requests, canary, succeeded),
    ...percentiles(buckets, canary),
    durationUnit: 'ms',
    selectsWorkload,
    counters: bothSides(metrics, canary, primary),
  };
}
