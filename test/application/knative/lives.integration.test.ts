import { expect, it } from 'vitest';
import { found } from './found.ts';
import { knativeLifeOf } from './life.ts';
import { reportOfVirtual } from './virtual-lives.ts';

/** `LIFE_SEED=18` plays only that life. */
const only = process.env.LIFE_SEED;
const seeds = only === undefined ? [1, 2] : [Number(only)];

it.each(seeds)(
  'I1, I3, I6, I7, I8, I18, I19: clients of life %i of a Knative Service get only what was promoted, or is under analysis',
  async (seed) => {
    expect(await reportOfVirtual(knativeLifeOf(seed))).toBeUndefined();
  },
);

it.each(only === undefined ? found : [])('found by life $life.seed of a Knative Service: $what', async ({ life }) => {
  expect(await reportOfVirtual(life)).toBeUndefined();
});

it('a seed always draws the same life of a Knative Service', () => {
  expect(knativeLifeOf(7)).toEqual(knativeLifeOf(7));
  expect(knativeLifeOf(7)).not.toEqual(knativeLifeOf(8));
});
