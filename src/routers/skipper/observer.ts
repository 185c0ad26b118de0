import type { Observers } from '../provider.ts';
import { bothSides, means, successRate } from '../queries/shapes.ts';

const routeTo = (ends: string) => `route=~"kube(ew)?_{{ namespace }}__{{ ingress }}${ends}(_[0-9]+)?"`;
const route = routeTo('_canary__.*__{{ service }}_canary');
/** Requests that our Ingress does not take follow the user's, which leads to the primary. */
const primary = routeTo('(_canary__.*__{{ service }}_primary|__.*__{{ service }})');

export const skipperObservers: Observers = {
  Deployment: {
    name: 'skipper',
    ...successRate('skipper_response_duration_seconds_bucket', `${route},le="+Inf"`, 'code!~"5.."'),
    ...means('skipper_serve_route_duration_seconds', route),
    durationUnit: 'ms',
    selectsWorkload: false,
    series: {
      requests: 'skipper_response_duration_seconds_bucket',
      durations: 'skipper_serve_route_duration_seconds_count',
      canary: route,
      primary,
      namespace: 'route=~"kube(ew)?_{{ namespace }}__.+"',
      labels: ['route'],
    },
    counters: bothSides(
      {
        requests: 'skipper_response_duration_seconds_bucket{le="+Inf"}',
        buckets: 'skipper_serve_route_duration_seconds_bucket',
        succeeded: 'code!~"5.."',
        bucketUnit: 's',
      },
      route,
      primary,
    ),
    underscoreNames: true,
  },
};
