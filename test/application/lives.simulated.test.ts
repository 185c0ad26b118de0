import { expect, it } from 'vitest';
import { found } from './found.ts';
import { lifeOf } from './life.ts';
import { modelledPace, modelledWorld } from './modelled-world.ts';
import { play, report, shrink } from './play.ts';
import type { WorldMaker } from './world.ts';

/** `LIFE_SEED=18` plays that life alone. */
const only = process.env.LIFE_SEED;
const FRESH = Array.from({ length: 6 }, (_, index) => 10_001 + index);
const seeds = only === undefined ? FRESH : [Number(only)];

it.each(seeds)('I1, I3, I6, I7, I8, I18, I19, I20: clients of life %i get only what was promoted, or is under analysis', async (seed) => {
  expect(await report(lifeOf(seed), modelledWorld)).toBeUndefined();
});

it.each(only === undefined ? found : [])('$invariant: finding $finding, life $life.seed: $what', async ({ life }) => {
  const { breaks } = await play(life, modelledWorld);
  expect(breaks).toEqual([]);
});

it('a seed always draws the same life', () => {
  expect(lifeOf(7)).toEqual(lifeOf(7));
  expect(lifeOf(7)).not.toEqual(lifeOf(8));
});

it('a break is shrunk to the actions that it needs', async () => {
  const life = lifeOf(7);
  const guilty = life.actions.at(-1);
  let shown = life;
  let ms = 0;
  const world: WorldMaker = async (one) => {
    shown = one;
    return {
      pace: modelledPace,
      nowMs: () => ms,
      pass: async (passed) => {
        ms += passed;
      },
      act: async () => ({}),
      ask: () => (guilty && shown.actions.includes(guilty) ? [{ version: 'stray', by: 'no Deployment' }] : []),
      canaries: () => [],
      held: () => ({ target: undefined, primary: undefined }),
      shares: () => [],
      isSerinUp: () => true,
      failed: () => [],
      written: () => [],
      close: async () => undefined,
    };
  };
  expect((await shrink(life, ({ invariant }) => invariant === 'I19', world)).actions).toEqual([guilty]);
});
