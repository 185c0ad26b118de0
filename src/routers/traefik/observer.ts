import type { Observers } from '../provider.ts';
import { percentiles, successRate } from '../queries/shapes.ts';

/** By the Service's name, as our router names the canary (05-W11). */
const service = 'service=~"{{ namespace }}-{{ service }}-canary-[0-9a-zA-Z-]+@kubernetescrd"';

/** Source: 05-B20. */
export const traefikObservers: Observers = {
  Deployment: {
    name: 'traefik',
    ...successRate('traefik_service_request_duration_seconds_bucket', `${service},le="+Inf"`, 'code!~"5.."'),
    ...percentiles('traefik_service_request_duration_seconds_bucket', service, ' * 1000'),
    durationUnit: 'ms',
    selectsWorkload: false,
  },
};
