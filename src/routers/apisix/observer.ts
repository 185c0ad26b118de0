import { factsOf } from '../../api/providers.ts';
import type { Observers } from '../provider.ts';
import { percentiles, successRate } from '../queries/shapes.ts';

/** By the Service's name, as our router names the canary. */
const route = 'route=~"{{ namespace }}_{{ route }}-{{ service }}-canary_.+"';

const { countsBothSides = '' } = factsOf('apisix');

export const apisixObservers: Observers = {
  Deployment: {
    name: 'apisix',
    ...successRate('apisix_http_status', route, 'code!~"5.."'),
    ...percentiles('apisix_http_latency_bucket', `type=~"request",${route}`),
    durationUnit: 'ms',
    selectsWorkload: false,
    series: {
      requests: 'apisix_http_status',
      durations: 'apisix_http_latency_bucket',
      canary: route,
      primary: 'route=~"{{ namespace }}_{{ route }}_.+"',
      namespace: 'route=~"{{ namespace }}_.+"',
      labels: ['route'],
    },
    counters: { unavailable: countsBothSides },
  },
};
