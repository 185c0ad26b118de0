import { expect, it } from 'vitest';
import { aCanary, initialized, type World, withHooks } from '../../test/fakes/world.ts';
import type { Question } from './questions.ts';

const asked = (world: World, kind: Question['kind']) => world.asked.filter((one) => one.kind === kind).length;

/** The clock reaches the poll, and then wakes and changed facts come while its answer is pending. */
function wokenOften(world: World, kind: Question['kind']): number[] {
  world.nowMs = world.wakeAtMs ?? world.nowMs;
  const before = { asks: asked(world, kind), wakes: asked(world, 'wakeAt') };
  for (let times = 0; times < 5; times += 1) {
    world.send({ type: 'WAKE', facts: world.facts() });
    world.sendFacts();
  }
  const counts = [asked(world, kind) - before.asks, asked(world, 'wakeAt') - before.wakes];
  world.settle();
  return counts;
}

it('E7: a due poll makes one call, for any number of wakes before the answer', () => {
  const world = initialized(aCanary({ stepWeight: 50, ...withHooks('confirm-rollout') }));
  world.behaviour.hooks['confirm-rollout'] = 'refused';
  world.push('s1:b');
  expect(world.phase).toBe('Waiting');
  expect(wokenOften(world, 'runHooks')).toEqual([1, 0]);
  world.behaviour.hooks['confirm-rollout'] = 'passed';
  world.tick();
  expect(world.phase).toBe('Progressing');
});

it('E40: a refused write of the primary is retried once in each interval, not at every event', () => {
  const world = initialized(aCanary({ stepWeight: 100 }));
  world.behaviour.refusesPromote = true;
  world.pushUntil('s1:b', (one) => one.step === 'writingPrimary' && one.wakeAtMs !== undefined && one.wakeAtMs > one.nowMs);
  expect(wokenOften(world, 'promote')).toEqual([1, 0]);
  world.behaviour.refusesPromote = false;
  world.tickUntil((one) => one.phase === 'Succeeded');
  expect(world.promoted).toEqual(['s1:b']);
});

it.each([
  ['runHooks', withHooks('rollout')],
  ['measure', {}],
] as const)('E10: a check that takes its time asks for no wake before its answer (%s)', (kind, hooks) => {
  const world = initialized(aCanary({ stepWeight: 50, ...hooks }));
  world.pushUntil('s1:b', (one) => one.step === 'analysing');
  expect(wokenOften(world, kind)).toEqual([1, 0]);
});
