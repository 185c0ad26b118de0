import { expect, it } from 'vitest';
import { APP } from '../fakes/model/lab.ts';
import { found } from './found.ts';
import { lifeOf } from './life.ts';
import { modelledPace, modelledWorld } from './modelled-world.ts';
import { play, report, shrink } from './play.ts';
import type { ApplicationWorld, WorldMaker } from './world.ts';

/** `LIFE_SEED=18` plays only that life. */
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

/** A world of which nothing is known but what is given. */
function worldOf(over: Partial<ApplicationWorld>, time: { ms: number }): ApplicationWorld {
  return {
    pace: modelledPace,
    nowMs: () => time.ms,
    pass: async (passed) => {
      time.ms += passed;
    },
    act: async () => ({}),
    ask: () => [],
    canaries: () => [],
    held: () => ({ target: undefined, primary: undefined }),
    shares: () => [],
    isSerinUp: () => true,
    failed: () => [],
    written: () => [],
    news: () => [],
    close: async () => undefined,
    ...over,
  };
}

it('a break is shrunk to the actions that it needs', async () => {
  const life = lifeOf(7);
  const guilty = life.actions.at(-1);
  const world: WorldMaker = async ({ actions }) =>
    worldOf({ ask: () => (guilty && actions.includes(guilty) ? [{ version: 'stray', by: 'no Deployment' }] : []) }, { ms: 0 });
  expect((await shrink(life, ({ invariant }) => invariant === 'I19', world)).actions).toEqual([guilty]);
});

it('the grace of an action that leads users away begins when the world has carried it out: real life 130003', async () => {
  const time = { ms: 0 };
  const answer = { version: 'good-1', by: APP };
  let doneMs = Number.POSITIVE_INFINITY;
  const world = worldOf(
    {
      held: () => ({ target: answer.version, primary: answer.version }),
      async act() {
        time.ms += 6_000;
        doneMs = time.ms;
        return { isLedAway: true, isForeign: true };
      },
      ask: () => [time.ms > doneMs && time.ms < doneMs + 8_000 ? { lost: 'the pods are not ready', isPodsFault: false } : answer],
    },
    time,
  );
  const life = { ...lifeOf(7), actions: [{ at: 'now', afterMs: 5_000, action: { do: 'apply the manifests again' } }] } as const;
  expect((await play(life, async () => world)).breaks).toEqual([]);
});

it.each([
  { isSuspended: true, breaks: [] },
  { isSuspended: false, breaks: ['I19'] },
])(
  'users who were led away by hand stay so while the Canary is suspended ($isSuspended), and no longer',
  async ({ isSuspended, breaks }) => {
    const time = { ms: 0 };
    let isLedAway = false;
    const canary = { name: APP, uid: 'u', isDeleting: false, isSuspended, phase: 'Initialized', step: 'resting', run: 0, failedChecks: 0 };
    const world = worldOf(
      {
        held: () => ({ target: isLedAway ? 'good-2' : 'good-1', primary: 'good-1' }),
        canaries: () => [{ ...canary, standing: '', isExplained: true }],
        async act() {
          isLedAway = true;
          return { isLedAway, isForeign: true };
        },
        ask: () => [{ version: isLedAway ? 'good-2' : 'good-1', by: APP }],
      },
      time,
    );
    const life = { ...lifeOf(7), actions: [{ at: 'now', afterMs: 5_000, action: { do: 'apply the manifests again' } }] } as const;
    expect((await play(life, async () => world)).breaks.map(({ invariant }) => invariant)).toEqual(breaks);
  },
);
