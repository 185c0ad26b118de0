import type { Observers } from '../provider.ts';
import { bothSides, percentiles, successRate } from '../queries/shapes.ts';

/**
 * By the Service's name, as our router names the canary. With Traefik's `safeNaming` the parts are joined by `_`, which no name of
 * Kubernetes has, and the object that refers to the Service comes first: `test_podinfo_wrr_1_test_podinfo-canary_80`.
 */
const service = (side: string) => `service=~"(.+_)?{{ namespace }}[-_]{{ service }}-${side}[-_][0-9a-zA-Z-]+@kubernetescrd"`;
const canary = service('canary');
const buckets = 'traefik_service_request_duration_seconds_bucket';

export const traefikObservers: Observers = {
  Deployment: {
    name: 'traefik',
    ...successRate(buckets, `${canary},le="+Inf"`, 'code!~"5.."'),
    ...percentiles(buckets, canary, ' * 1000'),
    durationUnit: 'ms',
    selectsWorkload: false,
    series: {
      ...{ requests: buckets, durations: buckets, canary, primary: service('primary') },
      namespace: 'service=~"(.+_)?{{ namespace }}[-_].+@kubernetescrd"',
      labels: ['service'],
    },
    counters: bothSides(
      { requests: `${buckets}{le="+Inf"}`, buckets, succeeded: 'code!~"5.."', bucketUnit: 's' },
      canary,
      service('primary'),
    ),
  },
};
