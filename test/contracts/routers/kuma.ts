import type { RouterCase } from './router-case.ts';

export const kuma: RouterCase = {
  lacks: { mirroring: 'no field', headerMatch: 'its matches are left to its newer kinds', sessionAffinity: 'no cookies' },
  foreignSpec: {},
  isClusterScoped: true,
  ownNames: ['storefront.prod'],
  sums: ({ spec }) => [spec.conf.split.reduce((sum: number, { weight }: { weight: number }) => sum + weight, 0)],
};
