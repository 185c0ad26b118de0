import { describe, expect, it } from 'vitest';
import { at, releasing, steps } from '../../test/fakes/releasing.ts';
import { aCanary, initialized, type World, withHooks } from '../../test/fakes/world.ts';
import type { Analysis, HookType } from '../api/canary.ts';

describe('gates', () => {
  it('E7: a closed confirm-rollout waits without scaling up and starts when it opens', () => {
    const world = initialized(aCanary({ ...steps, ...withHooks('confirm-rollout') }));
    world.behaviour.hooks['confirm-rollout'] = 'refused';
    world.push('s1:b');
    world.tick();
    expect([world.phase, world.targetReplicas]).toEqual(['Waiting', 0]);
    world.behaviour.hooks['confirm-rollout'] = 'passed';
    world.tick();
    expect(world.phase).toBe('Progressing');
  });

  it('E7: polling a closed gate writes no status', () => {
    const world = initialized(aCanary({ ...steps, ...withHooks('confirm-rollout') }));
    world.behaviour.hooks['confirm-rollout'] = 'refused';
    world.push('s1:b');
    const before = world.asked.filter((one) => one.kind === 'record').length;
    for (let polls = 0; polls < 5; polls += 1) world.tick();
    expect(world.asked.filter((one) => one.kind === 'record')).toHaveLength(before);
  });

  it('E7: a return to the promoted revision while waiting ends the wait', () => {
    const world = initialized(aCanary({ ...steps, ...withHooks('confirm-rollout') }));
    world.behaviour.hooks['confirm-rollout'] = 'refused';
    world.push('s1:b');
    world.push('s1:a');
    expect([world.phase, world.step, world.release.revision]).toEqual(['Succeeded', 'resting', 's1:a']);
  });

  it('E7: a newer revision replaces the waiting one, and its gate is called at once', () => {
    const world = initialized(aCanary({ ...steps, ...withHooks('confirm-rollout') }));
    world.behaviour.hooks['confirm-rollout'] = 'refused';
    world.push('s1:b');
    const asked = () => world.asked.filter((one) => one.kind === 'runHooks' && one.type === 'confirm-rollout').length;
    const before = asked();
    world.push('s1:c');
    expect([world.phase, world.step, world.release.revision, asked() - before]).toEqual(['Waiting', 'gate', 's1:c', 1]);
    world.behaviour.hooks['confirm-rollout'] = 'passed';
    world.tickUntil(at('Succeeded', 'resting'));
    expect(world.promoted).toEqual(['s1:c']);
  });

  it('E24: a closed confirm-promotion keeps checking and polls every interval with the true weight', () => {
    const world = initialized(aCanary({ ...steps, ...withHooks('confirm-promotion') }));
    world.behaviour.hooks['confirm-promotion'] = 'refused';
    world.pushUntil('s1:b', at('WaitingPromotion'));
    const asked = () => world.asked.filter((one) => one.kind === 'runHooks' && one.type === 'confirm-promotion').length;
    const before = asked();
    for (let polls = 0; polls < 3; polls += 1) world.tick();
    expect([asked() - before, world.canary.status?.canaryWeight]).toEqual([3, 40]);
    world.behaviour.verdicts = [{ check: 'errors', verdict: 'failed' }];
    world.tickUntil(at('Failed', 'resting'));
    expect(world.promoted).toEqual([]);
  });

  it('E16: blue/green calls confirm-promotion once, before live traffic moves', () => {
    const world = initialized(aCanary({ iterations: 1, ...withHooks('confirm-promotion') }));
    world.pushUntil('s1:b', at('Succeeded'));
    expect(world.asked.filter((one) => one.kind === 'runHooks' && one.type === 'confirm-promotion')).toHaveLength(1);
  });

  it('E23: a closed confirm-traffic-increase holds the weight and counts nothing', () => {
    const world = initialized(aCanary({ ...steps, ...withHooks('confirm-traffic-increase') }));
    world.behaviour.hooks['confirm-traffic-increase'] = 'refused';
    world.push('s1:b');
    for (let polls = 0; polls < 4; polls += 1) world.tick();
    expect([world.phase, world.canary.status?.canaryWeight, world.release.failedChecks]).toEqual(['Progressing', 0, 0]);
    world.behaviour.hooks['confirm-traffic-increase'] = 'passed';
    world.tickUntil(at('Succeeded'));
    expect(world.promoted).toEqual(['s1:b']);
  });

  it('E81: a closed confirm-traffic-increase holds the promotion at the last weight, before confirm-promotion is called', () => {
    const world = initialized(aCanary({ ...steps, ...withHooks('confirm-traffic-increase', 'confirm-promotion') }));
    const asked = () => world.asked.flatMap((one) => (one.kind === 'runHooks' ? [one.type] : []));
    world.pushUntil('s1:b', (one) => one.canary.status?.canaryWeight === 40);
    world.behaviour.hooks['confirm-traffic-increase'] = 'refused';
    for (let polls = 0; polls < 4; polls += 1) world.tick();
    expect([world.phase, world.canary.status?.canaryWeight, world.release.failedChecks, world.promoted]).toEqual([
      'Progressing',
      40,
      0,
      [],
    ]);
    expect(asked()).not.toContain('confirm-promotion');
    world.behaviour.hooks = { 'confirm-promotion': 'refused' };
    world.tickUntil(at('WaitingPromotion'));
    const before = asked().length;
    world.tick();
    expect(asked().slice(before), 'it was let through').toEqual(['confirm-promotion']);
    world.behaviour.hooks = {};
    world.tickUntil(at('Succeeded'));
    expect(world.promoted).toEqual(['s1:b']);
  });

  it.each([
    ['A/B', { iterations: 1, match: [{ headers: { user: { exact: 'a' } } }] }],
    ['blue/green', { iterations: 1 }],
  ])('E81: %s has no traffic to increase, so the gate is not called', (_, analysis) => {
    const world = initialized(aCanary({ ...analysis, ...withHooks('confirm-traffic-increase') }));
    world.behaviour.hooks['confirm-traffic-increase'] = 'refused';
    world.pushUntil('s1:b', at('Succeeded'));
  });

  it('E7: the first refusal of confirm-rollout is followed by a poll in an interval, not at once', () => {
    const world = initialized(aCanary({ ...steps, ...withHooks('confirm-rollout') }));
    const asked = () => world.asked.filter(({ kind }) => kind === 'runHooks').length;
    world.behaviour.hooks['confirm-rollout'] = 'refused';
    world.push('s1:b');
    expect([world.phase, asked()]).toEqual(['Waiting', 1]);
    world.tick();
    expect(asked()).toBe(2);
  });

  it('E8: pre-rollout hooks that have passed are not called again if the gate after them starts over', () => {
    const world = initialized(aCanary({ ...steps, ...withHooks('pre-rollout', 'confirm-traffic-increase') }));
    const asked = (type: string) => world.asked.filter((one) => one.kind === 'runHooks' && one.type === type).length;
    world.behaviour.hooks['confirm-traffic-increase'] = 'refused';
    world.pushUntil('s1:b', at('Progressing', 'preRollout'));
    world.tick();
    world.behaviour.hooks['pre-rollout'] = 'refused';
    const before = asked('confirm-traffic-increase');
    world.crash();
    world.settle();
    world.ask('pause', 'p');
    world.ask('resume', 'r');
    expect([asked('pre-rollout'), world.release.failedChecks, asked('confirm-traffic-increase') - before]).toEqual([1, 0, 2]);
    world.behaviour.hooks['confirm-traffic-increase'] = 'passed';
    world.tickUntil(at('Succeeded'));
    expect(world.promoted).toEqual(['s1:b']);
  });

  it('E80, E81: an open gate before the first step is called once while the primary is below its threshold, which writes nothing', () => {
    const world = initialized(aCanary({ ...steps, ...withHooks('confirm-traffic-increase') }));
    const count = (kind: string) => world.asked.filter((one) => one.kind === kind).length;
    world.room.primary = 0;
    world.push('s1:b');
    world.tick(5_000);
    const before = count('record');
    for (let ticks = 0; ticks < 12; ticks += 1) world.tick(5_000);
    expect([world.phase, world.canary.status?.canaryWeight, count('record') - before, count('runHooks') <= 1]).toEqual([
      'Progressing',
      0,
      0,
      true,
    ]);
    world.room.primary = 1_000;
    world.tickUntil(at('Succeeded'));
    expect(world.promoted).toEqual(['s1:b']);
  });

  it('E8: refused pre-rollout hooks count and roll the release back before any traffic (I2)', () => {
    const world = initialized(aCanary({ ...steps, ...withHooks('pre-rollout') }));
    world.behaviour.hooks['pre-rollout'] = 'refused';
    world.pushUntil('s1:b', at('Failed', 'resting'));
    expect([world.trace.every((one) => !one.includes('20')), world.release.failedChecks]).toEqual([true, 3]);
  });

  it('E25: a rollback hook that passes rolls the release back', () => {
    const world = releasing(withHooks('rollback'));
    world.behaviour.hooks.rollback = 'passed';
    world.tick();
    expect([world.phase, world.routes]).toMatchObject(['Failed', { canary: 0 }]);
  });
});

describe('a gate with a time limit', () => {
  const closing = (type: HookType, more: Partial<Analysis> = { gateTimeout: '35s' }): World => {
    const world = initialized(aCanary({ ...steps, ...withHooks(type), ...more }));
    world.behaviour.hooks[type] = 'refused';
    return world;
  };

  it.each(['confirm-rollout', 'confirm-traffic-increase', 'confirm-promotion'] as const)(
    'E145: %s that stays closed for gateTimeout (DF872) rolls the release back, and no failed check is counted',
    (type) => {
      const world = closing(type);
      world.pushUntil('s1:b', ({ release }) => release.gateClosed !== undefined);
      const { sinceMs = 0 } = world.release.gateClosed ?? {};
      const until = new Date(sinceMs + 35_000).toISOString().replace('.000', '');
      expect(world.canary.status?.release?.blockers).toMatchObject([{ code: 'GateClosed', webhook: type, until }]);
      world.tickUntil(at('Failed', 'resting'));
      expect(world.release.ending).toMatchObject({ code: 'GateTimeout', webhook: type, field: 'spec.analysis.gateTimeout' });
      const { atMs = 0 } = world.release.ending ?? {};
      expect(atMs - sinceMs).toBeGreaterThanOrEqual(35_000);
      expect(atMs - sinceMs).toBeLessThanOrEqual(45_000);
      expect([world.release.failedChecks, world.promoted, world.release.gateClosed]).toEqual([0, [], undefined]);
    },
  );

  it('E145: confirm-rollout is called once more at the end of its time, and starts the release if it is open then', () => {
    const world = closing('confirm-rollout');
    world.pushUntil('s1:b', ({ release }) => release.gateClosed !== undefined);
    const { sinceMs = 0 } = world.release.gateClosed ?? {};
    world.tickUntil(({ nowMs }) => nowMs >= sinceMs + 30_000);
    expect(world.phase).toBe('Waiting');
    expect(world.targetReplicas).toBe(0);
    world.behaviour.hooks['confirm-rollout'] = 'passed';
    world.tick();
    expect(world.phase).toBe('Progressing');
    expect(world.release).not.toHaveProperty('gateClosed');
  });

  it('E145: no pod of the canary is started for a gate that stays closed', () => {
    const world = closing('confirm-rollout');
    world.push('s1:b');
    world.tickUntil(at('Failed', 'resting'));
    expect(world.trace.filter((one) => one.includes('Progressing'))).toEqual([]);
    expect(world.release.ending?.detail).toMatch(/^the gate confirm-rollout was closed for (3[5-9]|4\d) s, since .*: no$/);
  });

  it('E145: a webhook that cannot be reached ends the release in the same way, in its words', () => {
    const world = closing('confirm-rollout');
    world.behaviour.unanswered = true;
    world.push('s1:b');
    world.tickUntil(at('Failed', 'resting'));
    expect(world.release.ending).toMatchObject({ code: 'GateTimeout', detail: expect.stringContaining('could not be reached for') });
  });

  it('E145: without gateTimeout a gate waits without limit, and nothing is recorded for it', () => {
    const world = closing('confirm-rollout', {});
    world.push('s1:b');
    for (let polls = 0; polls < 100; polls += 1) world.tick();
    expect([world.phase, world.release.gateClosed, world.release.dueMs]).toEqual(['Waiting', undefined, undefined]);
  });

  it('E145: a gate that opens in between begins its time again', () => {
    const world = closing('confirm-traffic-increase', { gateTimeout: '25s' });
    world.pushUntil('s1:b', ({ release }) => release.gateClosed !== undefined);
    world.tick();
    world.behaviour.hooks['confirm-traffic-increase'] = 'passed';
    world.tickUntil(({ release }) => release.gateClosed === undefined);
    world.behaviour.hooks['confirm-traffic-increase'] = 'refused';
    const openedMs = world.nowMs;
    world.tickUntil(({ release }) => release.gateClosed !== undefined);
    expect(world.release.gateClosed?.sinceMs).toBeGreaterThanOrEqual(openedMs);
  });

  it('E145, E71: a pause does not count, and its end begins where it was', () => {
    const world = closing('confirm-rollout');
    world.pushUntil('s1:b', ({ release }) => release.gateClosed !== undefined);
    world.ask('pause', 'r-1');
    for (let ticks = 0; ticks < 20; ticks += 1) world.tick();
    expect(world.phase).toBe('Waiting');
    world.ask('resume', 'r-2');
    world.tick();
    expect(world.phase).toBe('Waiting');
    world.tickUntil(at('Failed', 'resting'));
    expect(world.release.ending?.code).toBe('GateTimeout');
  });

  it('E145, E9: time under a blocker does not count', () => {
    const world = closing('confirm-rollout');
    world.pushUntil('s1:b', ({ release }) => release.gateClosed !== undefined);
    world.behaviour.blocker = { code: 'Forbidden', detail: 'POST deployments: no right' };
    world.sendFacts();
    for (let ticks = 0; ticks < 20; ticks += 1) world.tick();
    expect(world.phase).toBe('Waiting');
    const freedMs = world.nowMs;
    delete world.behaviour.blocker;
    world.sendFacts();
    world.tickUntil(at('Failed', 'resting'));
    expect((world.release.ending?.atMs ?? 0) - freedMs).toBeGreaterThanOrEqual(35_000);
  });

  it('E145: a controller that starts again remembers since when the gate is closed', () => {
    const world = closing('confirm-rollout');
    world.pushUntil('s1:b', ({ release }) => release.gateClosed !== undefined);
    const { sinceMs = 0 } = world.release.gateClosed ?? {};
    world.tick();
    world.crash();
    world.tickUntil(at('Failed', 'resting'));
    expect((world.release.ending?.atMs ?? 0) - sinceMs).toBeLessThanOrEqual(45_000);
    expect(world.release.ending?.code).toBe('GateTimeout');
  });
});
