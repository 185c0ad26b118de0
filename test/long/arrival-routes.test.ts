import { randomInt } from 'node:crypto';
import { expect, it } from 'vitest';
import type { Outcome } from '../application/arrival/play.ts';
import { routedWorldOf } from '../application/arrival/routes/routed-world.ts';
import { playRouted, reportRouted } from '../application/arrival/routes/shrink-routes.ts';
import { breaksIn, describeLoss } from '../application/arrival/shrink.ts';
import { tableOf } from '../application/arrival/table.ts';

const WORLDS = Number(process.env.WORLDS ?? 2_000);
const first = Number(process.env.WORLD_SEED ?? randomInt(2 ** 24));
const say = (text: string): void => void process.stdout.write(`${text}\n`);
say(`WORLDS=${WORLDS} WORLD_SEED=${first}`);

const secondOf = (outcome: Outcome): string => (outcome.is === 'arrived' && outcome.second ? `, the second Canary ${outcome.second}` : '');

it(`I17: the routes of ${WORLDS} worlds stay their users’, also where tools write them`, { timeout: 120 * 60_000 }, async () => {
  const outcomes: Outcome[] = [];
  const broken: string[] = [];
  for (let seed = first; seed < first + WORLDS; seed += 1) {
    const outcome = await playRouted(routedWorldOf(seed));
    outcomes.push(outcome);
    // `LOSSES=1` tells each of them, and shrinks none.
    if (process.env.LOSSES !== undefined) {
      say(
        [
          `seed ${seed} ${outcome.is}${outcome.is === 'refused' ? `: ${outcome.message}` : ''}${secondOf(outcome)}`,
          ...breaksIn(outcome).map((loss) => `  ${describeLoss(loss)}`),
        ].join('\n'),
      );
      if (breaksIn(outcome).length > 0) broken.push(`seed ${seed}`);
    } else if (breaksIn(outcome).length > 0)
      broken.push((await reportRouted(routedWorldOf(seed), outcome)) ?? `seed ${seed} breaks once, and not again`);
  }
  say(tableOf(outcomes));
  const seconds = outcomes.map(secondOf);
  say(['arrived', 'refused'].map((is) => `${seconds.filter((one) => one.endsWith(is)).length} second Canaries ${is}`).join(', '));
  for (const text of broken) say(text);
  expect(broken).toEqual([]);
});
