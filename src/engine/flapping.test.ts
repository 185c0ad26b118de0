import { expect, it } from 'vitest';
import { aCanary, initialized, type World } from '../../test/fakes/world.ts';

const steps = { stepWeight: 20, maxWeight: 40 };

/** Down, and ready again for two seconds, until the next decision; settling takes five seconds. */
function flap(world: World, ms: number): void {
  world.targetDown = true;
  world.tick(ms - 2_000);
  world.targetDown = false;
  world.tick(2_000);
}

it('E1: a canary that flaps between becoming ready and settling fails at the deadline of its first wait', () => {
  const world = initialized(aCanary(steps));
  world.targetDown = true;
  world.push('s1:b');
  const startedAt = world.nowMs;
  for (let times = 0; times < 20 && world.phase === 'Progressing'; times += 1) flap(world, 7_000);
  expect([world.phase, world.release.reason]).toEqual(['Failed', expect.stringContaining('not ready within 60 s')]);
  expect(world.release.startedMs).toBe(startedAt);
  expect(world.nowMs - startedAt).toBeLessThan(60_000 + 2 * 7_000);
});

it('E1, E27: a canary that flaps under traffic fails at the deadline of its first fall', () => {
  const world = initialized(aCanary(steps));
  world.pushUntil('s1:b', (one) => one.canary.status?.canaryWeight === 20);
  const fellAt = world.nowMs;
  for (let times = 0; times < 20 && world.phase === 'Progressing'; times += 1) flap(world, 7_000);
  expect(world.phase).toBe('Failed');
  expect(world.nowMs - fellAt).toBeLessThan(60_000 + 2 * 7_000);
});

it('E1: a canary that has settled is later waited for as long as the first time', () => {
  const world = initialized(aCanary(steps));
  world.targetDown = true;
  world.push('s1:b');
  world.tick(50_000);
  world.targetDown = false;
  world.tickUntil((one) => one.step === 'analysing');
  expect(world.release).not.toHaveProperty('awaitedSinceMs');
});

it('E1, E9: time under a blocker counts for neither wait', () => {
  const world = initialized(aCanary(steps));
  world.targetDown = true;
  world.push('s1:b');
  world.tick(50_000);
  world.targetDown = false;
  world.settle();
  expect(world.step).toBe('settling');
  world.behaviour.blocker = 'the API server refuses';
  world.tick(100_000);
  world.targetDown = true;
  delete world.behaviour.blocker;
  world.tick(1_000);
  expect([world.phase, world.step]).toEqual(['Progressing', 'scalingUp']);
});
