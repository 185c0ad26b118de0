import { randomInt } from 'node:crypto';
import { expect, it } from 'vitest';
import { lifeOf } from '../application/life.ts';
import { modelledWorld } from '../application/modelled-world.ts';
import { report } from '../application/play.ts';

const LIVES = Number(process.env.LIVES ?? 1_000);
const first = Number(process.env.LIFE_SEED ?? randomInt(2 ** 24));
process.stdout.write(`LIVES=${LIVES} LIFE_SEED=${first}\n`);

it(`I1, I3, I6, I7, I8, I18, I19, I20: no client of ${LIVES} lives gets what was neither promoted nor under analysis`, {
  timeout: 120 * 60_000,
}, async () => {
  const broken: string[] = [];
  for (let seed = first; seed < first + LIVES; seed += 1) {
    const text = await report(lifeOf(seed), modelledWorld);
    if (text === undefined) continue;
    process.stdout.write(`${text}\n`);
    broken.push(text);
  }
  expect(broken).toEqual([]);
});
