import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeLife, lifeOf } from '../application/life.ts';
import { play } from '../application/play.ts';
import { RealPlane } from '../application/real-plane.ts';
import { realWorld, shortened } from '../application/real-world.ts';

/**
 * Lives of test/application: four of a hundred, others with each `PART_SEED`. `LIVES=30` plays that number, `LIFE_SEED=20007` one life, and both that number
 * from that life on.
 */
const ALL = 100;
const FIRST = 20_001;
const { LIFE_SEED, LIVES } = process.env;
const count = Number(LIVES ?? (LIFE_SEED === undefined ? 4 : 1));
const begin = Number(process.env.PART_SEED ?? 0) * count;
const seeds = Array.from({ length: count }, (_, index) =>
  LIFE_SEED === undefined ? FIRST + ((begin + index) % ALL) : Number(LIFE_SEED) + index,
);
/** `BREAKAGE='unpromoted bytes at deletion'` breaks Serin on purpose. */
const BROKEN = join(import.meta.dirname, '..', 'application', 'broken-program.ts');
/** Side by side; less where the machine has other things to do. */
const AT_ONCE = Number(process.env.LIVES_AT_ONCE ?? 10);

/** Definitions are the cluster's: a life that removes some is played when the others are over. */
const isOfAll = (seed: number): boolean => lifeOf(seed).actions.some(({ action }) => action.do === 'remove definitions');

let plane: RealPlane;
const told = new Map<number, PromiseWithResolvers<string | undefined>>(seeds.map((seed) => [seed, Promise.withResolvers()]));

// Each is awaited by its test, which comes later.
for (const { promise } of told.values()) promise.catch(() => undefined);

beforeAll(async () => {
  plane = await RealPlane.start();
  const make = realWorld(plane, process.env.BREAKAGE && BROKEN);
  const [alone, coming] = [seeds.filter(isOfAll), seeds.filter((seed) => !isOfAll(seed))];
  const playOn = async (those: number[]) => {
    for (let seed = those.shift(); seed !== undefined; seed = those.shift()) {
      const life = shortened(lifeOf(seed));
      const answer = told.get(seed);
      try {
        const { breaks, lastedMs, done, history } = await play(life, make);
        process.stdout.write(`life ${seed}: ${done} actions in ${Math.round(lastedMs / 1000)} s\n`);
        if (count === 1) process.stdout.write(`${history.join('\n')}\n`);
        const [first] = breaks;
        answer?.resolve(
          first && `${first.invariant} at ${first.atMs / 1000} s: ${first.text}\n${describeLife(life)}\n${history.join('\n')}\n`,
        );
      } catch (error) {
        answer?.reject(error);
      }
    }
  };
  void Promise.all(Array.from({ length: AT_ONCE }, () => playOn(coming))).then(() => playOn(alone));
});
afterAll(async () => {
  const refused = plane?.forbidden();
  await plane?.stop();
  expect(refused ?? [], 'the controllers asked for nothing that their role does not allow').toEqual([]);
});

const title =
  'I1, I3, I6, I7, I8, I18, I19, I20: clients of life %i on a real control plane get only what was promoted, or is under analysis';
it.each(seeds)(title, { timeout: 60 * 60_000 }, async (seed) => {
  expect(await told.get(seed)?.promise).toBeUndefined();
});
