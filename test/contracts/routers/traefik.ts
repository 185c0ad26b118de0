import type { RouterCase } from './router-case.ts';

export const traefik: RouterCase = {
  lacks: { headerMatch: 'requests are chosen in the IngressRoute of the user', sessionAffinity: 'its cookie names a side, not a release' },
  foreignSpec: {},
  sums: ({ spec }) =>
    spec.weighted ? [spec.weighted.services.reduce((sum: number, { weight }: { weight: number }) => sum + weight, 0)] : [],
  ownNames: ['storefront-mirror'],
};
