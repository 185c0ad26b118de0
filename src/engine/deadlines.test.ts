import { describe, expect, it } from 'vitest';
import { aCanary, initialized, type World } from '../../test/fakes/world.ts';

const at = (phase: string, step: string) => (world: World) => world.phase === phase && world.step === step;
/** Half of the progress deadline passed before the step was entered: it must not count. */
const BEFORE_MS = 30_000;

function pushed(prepare: (world: World) => void = () => undefined): World {
  const world = initialized(aCanary({ stepWeight: 20, maxWeight: 20 }));
  world.tick(BEFORE_MS);
  prepare(world);
  world.push('s1:b');
  return world;
}

describe('E1: a step waits until the progress deadline, counted from its own start', () => {
  it.each([
    {
      step: 'scalingUp',
      enter: () => pushed((world) => world.behaviour.brokenCanary.add('s1:b')),
    },
    {
      step: 'canaryUnavailable',
      enter: () => {
        const world = pushed();
        world.tickUntil(at('Progressing', 'analysing'));
        world.targetDown = true;
        world.settle();
        return world;
      },
    },
    {
      step: 'awaitingPrimary',
      enter: () => {
        const world = pushed((one) => one.behaviour.brokenPrimary.add('s1:b'));
        world.tickUntil(at('Promoting', 'awaitingPrimary'));
        return world;
      },
    },
  ])('E1: $step rolls the release back', ({ step, enter }) => {
    const world = enter();
    expect(world.step).toBe(step);
    const leftMs = world.release.stepStartedMs + 60_000 - world.nowMs;
    expect(leftMs).toBe(60_000);
    world.tick(leftMs - 1);
    expect(world.step).toBe(step);
    world.tick(1);
    expect(world.phase).toBe('Failed');
  });
});
