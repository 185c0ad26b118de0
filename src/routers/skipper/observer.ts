import type { Observers } from '../provider.ts';
import { means, successRate } from '../queries/shapes.ts';

const route = 'route=~"kube(ew)?_{{ namespace }}__{{ ingress }}_canary__.*__{{ service }}_canary(_[0-9]+)?"';

/** Source: 05-B22. */
export const skipperObservers: Observers = {
  Deployment: {
    name: 'skipper',
    ...successRate('skipper_response_duration_seconds_bucket', `${route},le="+Inf"`, 'code!~"5.."'),
    ...means('skipper_serve_route_duration_seconds', route),
    durationUnit: 'ms',
    selectsWorkload: false,
    underscoreNames: true,
  },
};
