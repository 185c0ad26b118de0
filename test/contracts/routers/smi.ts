import type { RouterCase } from './router-case.ts';

const split: RouterCase = {
  lacks: { mirroring: 'no field', sessionAffinity: 'no cookies' },
  foreignSpec: {},
  sums: ({ spec }) =>
    spec.backends ? [spec.backends.reduce((sum: number, { weight }: { weight: number | string }) => sum + Number(weight), 0)] : [],
};

/** Versions without `matches`: a split is for every request. */
export const smiWeights = (version: string): RouterCase => ({
  ...split,
  lacks: { ...split.lacks, headerMatch: `${version} has no matches` },
});

/** Versions that match by an HTTPRouteGroup. */
export const smiMatches: RouterCase = {
  ...split,
  isConditioned: (objects) =>
    objects.some(({ kind, spec }) => kind === 'TrafficSplit' && spec.matches?.length === 1) &&
    objects.some(({ kind, spec }) => kind === 'HTTPRouteGroup' && JSON.stringify(spec).includes('insider')),
};
