import { type Buckets, type BucketWindow, type LatencyPlan, type LatencyProblem, latencyWindow } from '../judge/latency.ts';
import type { Counts, PodCounts, Window } from '../judge/window.ts';
import type { Changes, InstanceChange, SideChanges } from './counter-changes.ts';

type Bounds = Pick<Window, 'fromMs' | 'toMs'>;

/** Requests and failures of both sides; also by pod if the counters are those of pods. */
export function errorsWindow(changes: Changes, bounds: Bounds, hasPods: boolean): Window {
  return {
    ...bounds,
    canary: sum(changes.canary.instances.flatMap(errorsOf)),
    primary: sum(changes.primary.instances.flatMap(errorsOf)),
    ...(hasPods && { pods: { canary: byPod(changes.canary, errorsOf), primary: byPod(changes.primary, errorsOf) } }),
  };
}

/** The counts of an instance with more successes than requests are not used. */
function errorsOf({ gained }: InstanceChange): Counts[] {
  const requests = gained.get('all') ?? 0;
  const failures = requests - (gained.get('succeeded') ?? 0);
  return failures < 0 ? [] : [{ requests, failures }];
}

const sum = (all: readonly Counts[]): Counts => ({
  requests: all.reduce((total, { requests }) => total + requests, 0),
  failures: all.reduce((total, { failures }) => total + failures, 0),
});

function byPod({ instances }: SideChanges, countsOf: (instance: InstanceChange) => Counts[]): PodCounts[] {
  const pods = new Map<string, Counts>();
  for (const instance of instances) {
    const before = pods.get(instance.pod ?? '') ?? { requests: 0, failures: 0 };
    pods.set(instance.pod ?? '', sum([before, ...countsOf(instance)]));
  }
  return [...pods].flatMap(([name, counts]) => (counts.requests > 0 ? [{ name, ...counts }] : []));
}

/** Requests of both sides in which the slow ones are the failures. The counters of `changes` are bounds in milliseconds. */
export function slowWindow(changes: Changes, bounds: Bounds, plan: LatencyPlan, hasPods: boolean): Window | LatencyProblem {
  const windowOf = (canary: readonly InstanceChange[], primary: readonly InstanceChange[]): BucketWindow => ({
    ...bounds,
    canary: bucketsOf(canary, plan),
    primary: bucketsOf(primary, plan),
  });
  const whole = latencyWindow(windowOf(changes.canary.instances, changes.primary.instances), plan);
  if (typeof whole === 'string' || !hasPods) return whole;
  const podsOf = (side: 'canary' | 'primary') =>
    byPod(changes[side], (instance) => {
      const window = latencyWindow(side === 'canary' ? windowOf([instance], []) : windowOf([], [instance]), plan);
      return typeof window === 'string' ? [] : [window[side]];
    });
  return { ...whole, pods: { canary: podsOf('canary'), primary: podsOf('primary') } };
}

function bucketsOf(instances: readonly InstanceChange[], plan: LatencyPlan): Buckets {
  const boundsMs = bucketBounds(plan);
  return { boundsMs, cumulative: boundsMs.map((boundMs) => gainedOf(instances, String(boundMs))) };
}

/** The buckets that a plan needs: its two bounds, and the last bucket, with all requests. Milliseconds. */
export const bucketBounds = ({ primaryMs, canaryMs }: LatencyPlan): number[] => [
  ...new Set([primaryMs, canaryMs, Number.POSITIVE_INFINITY]),
];

const gainedOf = (instances: readonly InstanceChange[], counter: string): number =>
  instances.reduce((total, { gained }) => total + (gained.get(counter) ?? 0), 0);
