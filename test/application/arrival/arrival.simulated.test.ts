import { describe, expect, it } from 'vitest';
import { type Outcome, play } from './play.ts';
import { breaksIn, describeLoss, report, shrink } from './shrink.ts';
import { clean, type Trap, traps } from './traps.ts';
import { arrivingIn, objectsOf, worldOf } from './world.ts';

/** `WORLD_SEED=18` plays only that world. */
const only = process.env.WORLD_SEED;
const FRESH = Array.from({ length: 20 }, (_, index) => 20_001 + index);
const seeds = only === undefined ? FRESH : [Number(only)];
const played = new Map<Trap, Promise<Outcome>>();

function outcomeOf(trap: Trap): Promise<Outcome> {
  const outcome = played.get(trap) ?? play(arrivingIn(trap.world));
  played.set(trap, outcome);
  return outcome;
}

it.each(seeds)('I17: the application of world %i loses nothing', async (seed) => {
  expect(await report(worldOf(seed))).toBeUndefined();
});

describe.runIf(only === undefined)('I17', () => {
  it.each(traps)('$kind: $name', async (trap) => {
    expect(breaksIn(await outcomeOf(trap)).map(describeLoss)).toEqual([]);
  });

  it.each(clean)('nothing is lost: $name', async ({ world }) => {
    const outcome = await play(arrivingIn(world));
    expect(outcome.losses.map(describeLoss)).toEqual([]);
    expect(outcome.is).toBe('arrived');
  });
});

it('a seed always draws the same world', () => {
  expect(objectsOf(worldOf(7))).toEqual(objectsOf(worldOf(7)));
  expect(worldOf(7)).not.toEqual({ ...worldOf(8), seed: 7 });
});

it('a world is shrunk to the parts that break it', async () => {
  const seed = Array.from({ length: 100 }, (_, index) => index).find((one) => worldOf(one).parts.length > 3) ?? 0;
  const world = worldOf(seed);
  const guilty = world.parts.at(-1);
  let shown = world;
  const smallest = await shrink(
    world,
    () => guilty !== undefined && shown.parts.includes(guilty),
    async (one) => {
      shown = one;
      return { is: 'arrived', losses: [] };
    },
  );
  expect(smallest.parts).toEqual([guilty]);
});

it('a loss of which Serin warns is a break only where the application needs it', () => {
  const loss = { what: '', before: '', now: '', objects: [], moment: '' };
  const outcome: Outcome = {
    is: 'arrived',
    losses: [
      { ...loss, kind: 'PDB', isNamed: true },
      { ...loss, kind: 'VPA', isNamed: false },
      { ...loss, kind: 'NetworkPolicy', isNamed: true },
    ],
  };
  expect(breaksIn(outcome).map(({ kind }) => kind)).toEqual(['VPA', 'NetworkPolicy']);
});
