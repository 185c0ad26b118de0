import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type Beside, besideTable, resultsOf } from '../application/arrival/beside-flagger.ts';
import { FlaggerPlane } from '../application/arrival/flagger-plane.ts';
import { type Outcome, play } from '../application/arrival/play.ts';
import { playFlagger } from '../application/arrival/play-flagger.ts';
import { breaksIn, describeLoss } from '../application/arrival/shrink.ts';
import { arrivingIn, worldOf } from '../application/arrival/world.ts';
import { lacking } from '../differential/run/describe-scenarios.ts';

const RESULTS = join(import.meta.dirname, '..', 'differential', 'arrival-results.json');
const WORLDS = Number(process.env.FLAGGER_WORLDS ?? 200);
const first = Number(process.env.WORLD_SEED ?? 150_001);
/** Each has up to ten pods. */
const AT_A_TIME = Number(process.env.WORLDS_AT_ONCE ?? 12);
const seeds = Array.from({ length: WORLDS }, (_, index) => first + index);
const reason = await lacking();
const title = `I17: what ${WORLDS} living applications keep under Flagger and under Serin`;
const say = (text: string): void => void process.stdout.write(`${text}\n`);

it.skipIf(reason !== undefined)(reason ? `${title} (skipped: ${reason})` : title, { timeout: 180 * 60_000 }, async () => {
  say(`FLAGGER_WORLDS=${WORLDS} WORLD_SEED=${first}`);
  const startedMs = performance.now();
  const serin = new Map<number, Outcome>();
  for (const seed of seeds) serin.set(seed, await play(arrivingIn(worldOf(seed))));

  const besides = new Map<number, Beside>();
  const failed: string[] = [];
  const folder = mkdtempSync(join(tmpdir(), 'serin-arrival-flagger-'));
  const plane = await FlaggerPlane.start(
    seeds.flatMap((seed) => arrivingIn(worldOf(seed)).objects),
    folder,
  );
  try {
    const queue = [...seeds];
    const work = async (): Promise<void> => {
      for (let seed = queue.shift(); seed !== undefined; seed = queue.shift()) {
        const own = serin.get(seed);
        const flagger = await playFlagger(plane, `world-${seed}`, arrivingIn(worldOf(seed))).catch((error: unknown) => {
          failed.push(`world ${seed}: ${error instanceof Error ? error.stack : error}`);
        });
        if (flagger === undefined || own === undefined) continue;
        besides.set(seed, { flagger, serin: own });
        const lines = breaksIn(flagger).map((loss) => `  ${describeLoss(loss)}`);
        say([`${besides.size}: world ${seed}, Serin ${own.is}, with Flagger:`, ...lines].join('\n'));
      }
    };
    await Promise.all(Array.from({ length: AT_A_TIME }, work));
  } finally {
    await plane.stop();
  }
  const results = resultsOf([...besides.values()], first, Math.round((performance.now() - startedMs) / 60_000));
  say(besideTable(results));
  expect(failed, `Flagger's log is in ${folder}`).toEqual([]);
  expect([...serin.values()].flatMap(breaksIn).map(describeLoss)).toEqual([]);
  writeFileSync(RESULTS, `${JSON.stringify(results, null, 2)}\n`);
});
