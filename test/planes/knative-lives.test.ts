import { expect, it } from 'vitest';
import { knativeLifeOf } from '../application/knative/life.ts';
import { knativeWorld } from '../application/knative/world.ts';
import { describeLife } from '../application/life.ts';
import { play } from '../application/play.ts';
import { shortened } from '../application/real-world.ts';
import { anEnvironment, type RealEnvironment } from '../scenarios/environment.ts';
import { startGround } from './ground.ts';
import { SERVING_NEEDS } from './knative.ts';
import { startKnativePlane } from './knative-plane.ts';

/** `LIVES=5 LIFE_SEED=3` plays five lives, from the third on, side by side. */
const LIVES = Number(process.env.LIVES ?? 2);
const first = Number(process.env.LIFE_SEED ?? 1);
const seeds = Array.from({ length: LIVES }, (_, index) => first + index);
/** The controller's user. */
const SERIN = 'serin';
const WRITES = new Set(['create', 'update', 'patch', 'delete']);
/** Events, leases, and what Serin remembers in ControllerRevisions: journals and anchors. */
const UNCOUNTED = /\/(events|leases|controllerrevisions)\b/;

const environment = anEnvironment<RealEnvironment>(() => startGround(startKnativePlane, SERVING_NEEDS));

function writesOf(namespace: string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { verb, uri } of environment().requestsOf(SERIN)) {
    if (!WRITES.has(verb) || UNCOUNTED.test(uri) || !uri.includes(`/namespaces/${namespace}/`)) continue;
    counts[`${verb} ${uri}`] = (counts[`${verb} ${uri}`] ?? 0) + 1;
  }
  return counts;
}

it.concurrent.each(seeds)(
  'I1, I3, I6, I7, I8, I18, I19: clients of life %i of a Knative Service get only what was promoted, or is under analysis, with the real Serving',
  { timeout: 20 * 60_000 },
  async (seed) => {
    const life = shortened(knativeLifeOf(seed));
    const { breaks, done, lastedMs, history } = await play(life, knativeWorld(environment(), writesOf));
    process.stdout.write(`life ${seed}: ${done} actions in ${Math.round(lastedMs / 1000)} s\n`);
    expect(breaks, `${describeLife(life)}\n${history.join('\n')}\n`).toEqual([]);
  },
);
