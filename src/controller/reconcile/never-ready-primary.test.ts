import { expect, it } from 'vitest';
import { aCanary, initialized, World } from '../../../test/fakes/world.ts';
import { progressDeadlineMs } from '../../engine/deadlines.ts';
import type { ReconcileContext } from './context.ts';
import { wasNeverReady } from './never-ready-primary.ts';

const asked = (world: World): boolean => wasNeverReady({ canary: world.canary } as ReconcileContext, world.facts());

/** A new Canary whose primary exists and is not ready. */
function waiting(): World {
  const world = new World(aCanary({ stepWeight: 20 }));
  world.behaviour.brokenPrimary.add('s1:a');
  world.begin();
  world.tickUntil(({ step, canary }) => step === 'creatingPrimary' && canary.status?.release !== undefined);
  return world;
}

it('I3: a primary that never served is made again at the deadline from a target that was corrected since, and only then', () => {
  const world = waiting();
  expect(asked(world), 'made from the target as it is').toBe(false);
  world.push('s1:b');
  expect(asked(world), 'the target was corrected, and the primary may yet come').toBe(false);
  world.tick(progressDeadlineMs(world.canary));
  expect(asked(world), 'it has not come').toBe(true);
});

it('I3: no release that was ever initialized has its primary written so, be it down or not', () => {
  const world = initialized(aCanary({ stepWeight: 20 }));
  world.primaryDown = true;
  world.push('s1:b');
  expect(asked(world)).toBe(false);
});
