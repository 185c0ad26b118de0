import { applicationQueries } from './queries.ts';
import type { RouterCase, RouterCases } from './router-case.ts';

const noProxy: RouterCase = {
  afterDeletion: [{ stays: [], because: 'nothing is generated' }],
  queries: applicationQueries,
  lacks: { weights: 'no proxy', mirroring: 'no proxy', headerMatch: 'no proxy', sessionAffinity: 'no proxy' },
  sums: () => [],
};

export const cases: RouterCases = { kubernetes: noProxy, none: noProxy };
