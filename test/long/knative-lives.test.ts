import { randomInt } from 'node:crypto';
import { expect, it } from 'vitest';
import { knativeLifeOf } from '../application/knative/life.ts';
import { reportOfVirtual } from '../application/knative/virtual-lives.ts';

const LIVES = Number(process.env.LIVES ?? 100);
const first = Number(process.env.LIFE_SEED ?? randomInt(2 ** 24));
process.stdout.write(`LIVES=${LIVES} LIFE_SEED=${first}\n`);

it(`I1, I3, I6, I7, I8, I18, I19: no client of ${LIVES} lives of a Knative Service gets what was neither promoted nor under analysis`, {
  timeout: 120 * 60_000,
}, async () => {
  const broken: string[] = [];
  for (let seed = first; seed < first + LIVES; seed += 1) {
    const text = await reportOfVirtual(knativeLifeOf(seed));
    if (text === undefined) continue;
    process.stdout.write(`${text}\n`);
    broken.push(text);
  }
  expect(broken).toEqual([]);
});
