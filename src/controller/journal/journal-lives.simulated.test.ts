import { expect, it } from 'vitest';
import { playRelease } from '../../../test/fakes/model/journal-lives.ts';

/** A sample of test/long/journals.test.ts. */
const SEEDS = [3, 4, 7, 15];

it.each(SEEDS)('the journal of release %i replays to the same decisions, after kills and faults, too', async (seed) => {
  const { parts, differences, kills, faults } = await playRelease(seed, seed % 2 === 1);
  expect(differences).toEqual([]);
  // A write that failed costs its part.
  expect(parts.at(-1)?.ended !== undefined || faults > 0).toBe(true);
  expect(kills + faults > 0).toBe(seed % 2 === 1);
});
