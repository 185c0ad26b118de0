import type { Raw } from '../../fakes/raw.ts';
import { envoyQueries } from './queries.ts';
import { insideMesh, type RouterCase, type RouterCases } from './router-case.ts';

const kuma: RouterCase = {
  golden: 'kuma',
  crds: 'kuma',
  afterDeletion: insideMesh,
  queries: envoyQueries('service=~"store-canary_shop_svc_[0-9a-zA-Z-]+"'),
  lacks: { mirroring: 'no field', headerMatch: 'its matches are left to its newer kinds', sessionAffinity: 'no cookies' },
  foreignSpec: {},
  isClusterScoped: true,
  ownNames: ['storefront.prod'],
  sums: ({ spec }: Raw) => [spec.conf.split.reduce((sum: number, { weight }: { weight: number }) => sum + weight, 0)],
};

export const cases: RouterCases = { kuma };
