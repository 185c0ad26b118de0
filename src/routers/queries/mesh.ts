import type { CountedSeries, Observer } from '../../api/observer.ts';
import { bothSides, percentiles, successRate } from './shapes.ts';

interface MeshMetrics {
  name: string;
  requests: string;
  buckets: string;
  /** Matchers of a side, by the name of its workload or Service. */
  side: (name: string) => string;
  succeeded: string;
  /** Matches every workload of the namespace, and the labels by which it and `side` select. */
  namespace: string;
  labels: CountedSeries['labels'];
  /** Counted by the sidecar of each pod: the label that tells them apart. */
  podLabel?: string;
}

/** Metrics of sidecars, which count the requests of each workload. */
export const meshOfWorkload = (mesh: MeshMetrics): Observer => observer(mesh, '{{ target }}', '{{ target }}-primary', true);

/** The same as clients count them, by the Service that they send to. */
export const meshOfService = (mesh: MeshMetrics): Observer => observer(mesh, '{{ service }}-canary', '{{ service }}-primary', false);

function observer(
  { name, side, namespace, labels, ...metrics }: MeshMetrics,
  canary: string,
  primary: string,
  selectsWorkload: boolean,
): Observer {
  const { requests, buckets, succeeded } = metrics;
  return {
    name,
    ...successRate(requests, side(canary), succeeded),
    ...percentiles(buckets, side(canary)),
    durationUnit: 'ms',
    selectsWorkload,
    series: { requests, durations: buckets, canary: side(canary), primary: side(primary), namespace, labels },
    counters: bothSides({ ...metrics, bucketUnit: 'ms' }, side(canary), side(primary)),
  };
}
