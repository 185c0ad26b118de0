import { expect, it } from 'vitest';
import { found } from './found.ts';
import { routedWorldOf } from './routed-world.ts';
import { reportRouted } from './shrink-routes.ts';

/** `WORLD_SEED=18` plays only that world. */
const only = process.env.WORLD_SEED;
const FRESH = Array.from({ length: 24 }, (_, index) => 40_001 + index);
const seeds = only === undefined ? FRESH : [Number(only)];

it.each(only === undefined ? found : [])('I17, found once: $what', { timeout: 600_000 }, async ({ world }) => {
  expect(await reportRouted(world)).toBeUndefined();
});

it.each(seeds)('I17: the routes of world %i stay the user’s', { timeout: 600_000 }, async (seed) => {
  expect(await reportRouted(routedWorldOf(seed))).toBeUndefined();
});
