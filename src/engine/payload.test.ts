import { describe, expect, it } from 'vitest';
import { at, steps } from '../../test/fakes/releasing.ts';
import { aCanary, initialized, type World, withHooks } from '../../test/fakes/world.ts';

const types = ['confirm-rollout', 'pre-rollout', 'rollout', 'confirm-traffic-increase', 'confirm-promotion', 'rollback'] as const;
const calls = ({ asked }: World) => asked.flatMap((one) => (one.kind === 'runHooks' ? [`${one.type}: ${one.phase} ${one.checksum}`] : []));
const announced = ({ asked }: World) =>
  asked.flatMap((one) => (one.kind === 'announce' && one.announcement.reason === 'HookPassed' ? [one.announcement] : []));

describe('payload of a webhook', () => {
  it('E84: has the phase Progressing while a promotion waits, and the analysed revision; for confirm-rollout the previous revision', () => {
    const world = initialized(aCanary({ ...steps, ...withHooks(...types) }));
    world.behaviour.hooks['confirm-rollout'] = 'refused';
    world.push('s1:b');
    world.tick();
    world.behaviour.hooks = { 'confirm-promotion': 'refused' };
    world.tickUntil(at('WaitingPromotion'));
    world.tick();
    expect([...new Set(calls(world))]).toEqual([
      'confirm-rollout: Initialized s1:a',
      'confirm-rollout: Waiting s1:a',
      'rollback: Progressing s1:b',
      'pre-rollout: Progressing s1:b',
      'confirm-traffic-increase: Progressing s1:b',
      'rollout: Progressing s1:b',
      'confirm-promotion: Progressing s1:b',
      'rollback: WaitingPromotion s1:b',
    ]);
  });

  it('E84: after a failure confirm-rollout gets the new revision, as in Flagger', () => {
    const world = initialized(aCanary({ ...steps, ...withHooks('confirm-rollout') }));
    world.behaviour.brokenCanary.add('s1:b');
    world.pushUntil('s1:b', at('Failed', 'resting'));
    const before = calls(world).length;
    world.push('s1:c');
    expect(calls(world).slice(before)).toEqual(['confirm-rollout: Failed s1:c']);
  });

  it('E84: messages of an end name the revision that has ended', () => {
    const world = initialized(aCanary(steps));
    world.deliversAtOnce = false;
    world.push('s1:b');
    world.push('s1:c');
    expect(world.release.deliveries?.filter(({ kind }) => kind === 'event')).toMatchObject([{ outcome: 'superseded', revision: 's1:b' }]);
  });
});

describe('hooks that pass', () => {
  it('E85: each is announced once, by its name, when it lets the release continue; rollout hooks are not', () => {
    const world = initialized(aCanary({ ...steps, ...withHooks(...types) }));
    world.behaviour.hooks = { 'confirm-rollout': 'refused', 'confirm-promotion': 'refused' };
    world.push('s1:b');
    for (let polls = 0; polls < 3; polls += 1) world.tick();
    expect(announced(world)).toEqual([]);
    world.behaviour.hooks['confirm-rollout'] = 'passed';
    world.tickUntil(at('WaitingPromotion'));
    for (let polls = 0; polls < 3; polls += 1) world.tick();
    world.behaviour.hooks = {};
    world.tickUntil(at('Succeeded'));
    const passed = (type: string) => ({ reason: 'HookPassed', type: 'Normal', message: `The ${type} hook ${type} passed` });
    const increase = passed('confirm-traffic-increase');
    expect(announced(world)).toEqual([
      passed('confirm-rollout'),
      passed('pre-rollout'),
      increase,
      increase,
      increase,
      passed('confirm-promotion'),
    ]);
  });

  it('E85: a rollback hook that passes is announced as a warning', () => {
    const world = initialized(aCanary({ ...steps, ...withHooks('rollback') }));
    world.behaviour.hooks.rollback = 'passed';
    world.push('s1:b');
    expect(announced(world)).toMatchObject([{ type: 'Warning', message: 'The rollback hook rollback passed' }]);
  });
});
