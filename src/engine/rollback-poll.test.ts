import { describe, expect, it } from 'vitest';
import { at, releasing, steps } from '../../test/fakes/releasing.ts';
import { aCanary, initialized, type World, withHooks } from '../../test/fakes/world.ts';
import type { Question } from './questions.ts';

const polls = (world: World) => world.asked.filter((one) => one.kind === 'runHooks' && one.type === 'rollback').length;
const kinds = (asked: readonly Question[]) =>
  asked.flatMap((one) => (one.kind === 'runHooks' ? [one.type] : one.kind === 'measure' ? [one.kind] : []));
const pushed = (analysis: object, prepare: (world: World) => void = () => undefined) => {
  const world = initialized(aCanary({ ...steps, ...analysis }));
  prepare(world);
  world.push('s1:b');
  return world;
};
const hooks = withHooks('rollback', 'pre-rollout', 'confirm-traffic-increase', 'confirm-promotion');
const closed = (gate: 'pre-rollout' | 'confirm-traffic-increase' | 'confirm-promotion') => (world: World) => {
  world.behaviour.hooks[gate] = 'refused';
};
const fewChecks = { threshold: 100 };

/** Each state in which a release waits before its promotion. */
const waits: { where: string; world: () => World }[] = [
  { where: 'Progressing.scalingUp', world: () => pushed(hooks, (world) => void world.behaviour.brokenCanary.add('s1:b')) },
  { where: 'Progressing.settling', world: () => pushed(hooks) },
  { where: 'Progressing.preRollout', world: () => until(pushed({ ...hooks, ...fewChecks }, closed('pre-rollout')), 'preRollout') },
  { where: 'Progressing.preRollout', world: () => until(pushed(hooks, closed('confirm-traffic-increase')), 'preRollout') },
  { where: 'Progressing.analysing', world: () => until(pushed(hooks), 'analysing') },
  {
    where: 'Progressing.raising',
    world: () =>
      until(
        pushed(hooks, (world) => {
          world.scaler = { name: 'HorizontalPodAutoscaler/podinfo', target: { min: 1, max: 9 }, primary: { min: 1, max: 9 } };
          world.primaryReplicas = 9;
          world.room.target = 1;
        }),
        'raising',
      ),
  },
  {
    where: 'Progressing.canaryUnavailable',
    world: () => {
      const world = until(pushed(hooks), 'analysing');
      world.targetDown = true;
      world.settle();
      return world;
    },
  },
  {
    where: 'WaitingPromotion.analysing',
    world: () => {
      const world = pushed(hooks, closed('confirm-promotion'));
      world.tickUntil(at('WaitingPromotion'));
      return world;
    },
  },
];

function until(world: World, step: string): World {
  world.tickUntil((one) => one.step === step);
  return world;
}

/** Moves the clock to the next requested wake; throws without one. */
function onlyWoken(world: World): void {
  const { wakeAtMs } = world;
  world.wakeAtMs = undefined;
  if (wakeAtMs === undefined) throw new Error(`${world.phase}.${world.step} has asked for no wake`);
  world.nowMs = Math.max(world.nowMs, wakeAtMs);
  world.send({ type: 'WAKE', facts: world.facts() });
  world.settle();
}

describe('rollback hooks', () => {
  it.each(waits)('E82, E25: in $where a hook that says yes ends the release within an interval', ({ where, world: begin }) => {
    const world = begin();
    expect(`${world.phase}.${world.step}`).toBe(where);
    world.behaviour.hooks.rollback = 'passed';
    world.nowMs += 10_000;
    world.send({ type: 'WAKE', facts: world.facts() });
    world.settle();
    expect([world.phase, world.release.reason, world.promoted]).toEqual(['Failed', 'the rollback hook rollback requested it', []]);
    world.tickUntil(at('Failed', 'resting'));
  });

  it.each(waits)('E82: in $where they are asked once an interval, by a wake of their own', ({ world: begin }) => {
    const world = begin();
    const before = polls(world);
    const [from, where] = [world.nowMs, world.step];
    while (world.nowMs < from + 40_000 && world.step === where) world.tick();
    const intervals = Math.floor((world.nowMs - from) / 10_000);
    expect([polls(world) - before >= intervals, polls(world) - before <= intervals + 1]).toEqual([true, true]);
  });

  it.each([
    ['Progressing.settling', 'unconfirmed', () => pushed(hooks)],
    ['Progressing.analysing', 'blocker', () => releasing(withHooks('rollback'))],
  ] as const)('E82: in %s also where the step waits past its own wake, for what is %s', (where, held, begin) => {
    const world = begin();
    Object.assign(world.behaviour, { [held]: 'not accepted' });
    world.converged = false;
    world.settle();
    const before = polls(world);
    for (let wakes = 0; wakes < 4; wakes += 1) onlyWoken(world);
    expect([`${world.phase}.${world.step}`, polls(world) - before >= 3]).toEqual([where, true]);
    world.behaviour.hooks.rollback = 'passed';
    for (let wakes = 0; wakes < 2 && world.phase !== 'Failed'; wakes += 1) onlyWoken(world);
    expect(world.phase).toBe('Failed');
  });

  it('E82: are called first when the release begins, and first in each check', () => {
    const world = pushed({ ...withHooks('rollback', 'pre-rollout', 'rollout'), maxWeight: 20 });
    world.tickUntil(at('Succeeded'));
    expect(kinds(world.asked).slice(0, 2)).toEqual(['rollback', 'pre-rollout']);
    expect(kinds(world.asked).slice(-3)).toEqual(['rollback', 'rollout', 'measure']);
  });

  it('E82: are not called from Promoting on, nor before the start is confirmed', () => {
    const gated = pushed(withHooks('confirm-rollout', 'rollback'), (one) => {
      one.behaviour.hooks['confirm-rollout'] = 'refused';
    });
    gated.tick();
    expect([gated.phase, polls(gated)]).toEqual(['Waiting', 0]);
    const world = releasing(withHooks('rollback'));
    world.behaviour.refusesPromote = true;
    world.tickUntil(at('Promoting'));
    const before = polls(world);
    for (let ticks = 0; ticks < 3; ticks += 1) world.tick(10_000);
    expect(polls(world)).toBe(before);
  });

  it('E82: an answer about a revision that was superseded meanwhile ends nothing', () => {
    const world = releasing(withHooks('rollback'));
    world.behaviour.hooks.rollback = 'passed';
    world.nowMs += 10_000;
    world.send({ type: 'WAKE', facts: world.facts() });
    world.targetRevision = 's1:c';
    world.sendFacts();
    world.behaviour.hooks.rollback = 'refused';
    world.settle();
    expect([world.phase, world.release.revision]).toEqual(['Progressing', 's1:c']);
  });

  it('E82: are called again at once after a restart and a suspend, and not while a release is paused', () => {
    const world = pushed(hooks, closed('confirm-traffic-increase'));
    world.tickUntil(at('Progressing', 'preRollout'));
    const suspend = (isOn: boolean) => {
      world.canary = { ...world.canary, spec: { ...world.canary.spec, suspend: isOn } };
      world.sendFacts();
    };
    const before = polls(world);
    world.crash();
    world.settle();
    suspend(true);
    suspend(false);
    world.settle();
    expect(polls(world)).toBe(before + 2);
    world.ask('pause', 'p');
    for (let ticks = 0; ticks < 3; ticks += 1) world.tick(10_000);
    expect(polls(world)).toBe(before + 2);
    world.ask('resume', 'r');
    expect(polls(world)).toBe(before + 3);
  });

  it('I5: a hook that passes while the primary cannot serve leaves traffic with the canary', () => {
    const world = releasing(withHooks('rollback'));
    world.primaryDown = true;
    world.behaviour.hooks.rollback = 'passed';
    world.tick();
    expect([world.phase, world.canary.status?.canaryWeight]).toEqual(['Failed', 20]);
    world.primaryDown = false;
    world.tickUntil(at('Failed', 'resting'));
    expect(world.canary.status?.canaryWeight).toBe(0);
  });
});
