import type { CountedSeries, Observer } from '../../api/observer.ts';
import { bothSides, percentiles, successRate } from './shapes.ts';

const requests = 'envoy_cluster_upstream_rq';
const buckets = 'envoy_cluster_upstream_rq_time_bucket';
const succeeded = 'envoy_response_code!~"5.*"';

interface EnvoySides {
  /** Matchers, in which the products differ. */
  canary: string;
  primary: string;
  /** Matches every workload of the namespace, and the labels by which all of these select. */
  namespace: string;
  labels: CountedSeries['labels'];
  selectsWorkload?: boolean;
  podLabel?: string;
}

/** Envoy's own upstream metrics; the products differ in how they name a cluster. */
export function envoy(name: string, { canary, primary, namespace, labels, selectsWorkload = false, podLabel }: EnvoySides): Observer {
  const metrics = { requests, buckets, succeeded, bucketUnit: 'ms', ...(podLabel && { podLabel }) } as const;
  return {
    name,
    ...successRate(requests, canary, succeeded),
    ...percentiles(buckets, canary),
    durationUnit: 'ms',
    selectsWorkload,
    series: { requests, durations: buckets, canary, primary, namespace, labels },
    counters: bothSides(metrics, canary, primary),
  };
}
