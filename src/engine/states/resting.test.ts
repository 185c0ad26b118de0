import { describe, expect, it } from 'vitest';
import { type DecisionCase, itDecides, refused } from '../../../test/fakes/deciding.ts';
import { at, releasing } from '../../../test/fakes/releasing.ts';

const isNew = { target: { revision: 's1:c' } };
/** Pods of an idle target that have read a config. */
const configs = { 'configmap/a': { uid: 'u', resourceVersion: '1', checksum: 'x' } };
const withPods = { target: { revision: 's1:c', pods: 2, configs } };
const isBack = { target: { revision: 's1:a' } };
const gated = { hooks: ['confirm-rollout'] } satisfies Partial<DecisionCase>;

const resting = ['Initialized', 'Succeeded', 'Failed'].flatMap((phase): DecisionCase[] => {
  const state = `${phase}.resting`;
  return [
    { state, when: 'nothing changed', decision: 'wait' },
    { state, when: 'the revision is new', ...isNew, decision: 'start' },
    { state, when: 'it is new, and pods have read configs', ...withPods, decision: 'startAfterRecycling' },
    { state, when: 'it is new, and a gate is asked first', ...withPods, ...gated, decision: 'pin' },
    { state, when: 'it is new, and the spec is refused', ...isNew, facts: refused, decision: 'wait' },
    { state, when: 'the promoted revision is back', ...isBack, decision: 'noteReturn' },
    { state, when: 'it is back, and the spec is refused', ...isBack, facts: refused, decision: 'wait' },
    { state, when: 'the target does not exist', target: null, decision: 'wait' },
    { state, when: 'a primary that does not serve does not stop a fix (E2)', ...isNew, primary: null, decision: 'start' },
  ];
});

describe('E2, E74, E75: decisions at rest', () => {
  itDecides([
    ...resting,
    { state: 'Succeeded.resting', when: 'an undo is asked for', event: { asks: 'undo' }, decision: 'undo' },
    { state: 'Failed.resting', when: 'an undo is asked for', event: { asks: 'undo' }, decision: 'wait' },
    { state: 'Failed.resting', when: 'a retry is asked for', event: { asks: 'retry' }, decision: 'start' },
    {
      state: 'Failed.resting',
      when: 'a retry with pods',
      event: { asks: 'retry' },
      target: { pods: 1, configs },
      decision: 'startAfterRecycling',
    },
    { state: 'Failed.resting', when: 'a retry with a gate', event: { asks: 'retry' }, ...gated, decision: 'pin' },
    { state: 'Succeeded.resting', when: 'a retry is asked for', event: { asks: 'retry' }, decision: 'wait' },
  ]);
});

it('E2: a failed revision is new again once the promoted one was in the target in between', () => {
  const world = releasing();
  world.ask('rollback', 'r');
  world.tickUntil(at('Failed', 'resting'));
  world.push('s1:b');
  expect([world.phase, world.release.revision]).toEqual(['Failed', 's1:b']);
  world.push('s1:a');
  expect([world.phase, world.release.revision, world.release.promotedRevision]).toEqual(['Failed', 's1:a', 's1:a']);
  world.push('s1:b');
  expect([world.phase, world.release.revision]).toEqual(['Progressing', 's1:b']);
});
