import { applicationQueries } from './queries.ts';
import type { RouterCase, RouterCases } from './router-case.ts';

const noProxy: RouterCase = {
  queries: applicationQueries,
  lacks: { weights: 'no proxy', mirroring: 'no proxy', headerMatch: 'no proxy', sessionAffinity: 'no proxy' },
  sums: () => [],
};

export const cases: RouterCases = { kubernetes: noProxy, none: noProxy };
