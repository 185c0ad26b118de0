import { expect, it } from 'vitest';
import { maxWeight, nextWeight } from './next-weight.ts';

const base = { interval: '10s', threshold: 1 };

function walk(plan: object): number[] {
  const weights: number[] = [];
  for (let next = nextWeight({ ...base, ...plan }, 0); next !== undefined; next = nextWeight({ ...base, ...plan }, next))
    weights.push(next);
  return weights;
}

it.each([
  { plan: { stepWeight: 15, maxWeight: 50 }, weights: [15, 30, 45, 60] },
  { plan: { stepWeight: 30, maxWeight: 200 }, weights: [30, 60, 90, 100] },
  { plan: { stepWeights: [5, 25, 60] }, weights: [5, 25, 60] },
  { plan: { stepWeights: [5, 200] }, weights: [5, 100] },
  { plan: { stepWeights: [50, 0, 10, 10] }, weights: [10, 50] },
  { plan: { stepWeights: [] }, weights: [100] },
  { plan: { stepWeight: -1 }, weights: [100] },
])('E11, E12: $plan walks through $weights', ({ plan, weights }) => expect(walk(plan)).toEqual(weights));

it.each([
  [undefined, 100],
  [0, 100],
  [-5, 100],
  [1, 1],
  [50, 50],
  [101, 100],
])('E11: with a maxWeight of %s promotion starts at %i%%', (asked, weight) => {
  expect(maxWeight({ ...base, stepWeight: 10, ...(asked === undefined ? {} : { maxWeight: asked }) })).toBe(weight);
});
