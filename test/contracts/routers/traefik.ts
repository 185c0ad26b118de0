import type { Raw } from '../../fakes/raw.ts';
import { quantile } from './queries.ts';
import type { RouterCase, RouterCases } from './router-case.ts';

const selector = 'service=~"(.+_)?shop[-_]store-canary[-_][0-9a-zA-Z-]+@kubernetescrd"';

const traefik: RouterCase = {
  golden: 'traefik',
  crds: 'traefik',
  afterDeletion: [{ stays: ['TraefikService'], because: 'your IngressRoute names it' }],
  queries: {
    metric: 'traefik_service_request_duration_seconds_bucket',
    selector,
    and: 'le="+Inf"',
    succeeded: 'code!~"5.."',
    duration: `${quantile('traefik_service_request_duration_seconds_bucket', selector)} * 1000`,
    unit: 'ms',
  },
  lacks: { headerMatch: 'requests are chosen in the IngressRoute of the user', sessionAffinity: 'its cookie names a side, not a release' },
  foreignSpec: {},
  sums: ({ spec }: Raw) =>
    spec.weighted ? [spec.weighted.services.reduce((sum: number, { weight }: { weight: number }) => sum + weight, 0)] : [],
  ownNames: ['storefront-mirror'],
};

export const cases: RouterCases = { traefik };
