import { describe } from 'vitest';
import { type DecisionCase, itDecides, paused, refused } from '../../../test/fakes/deciding.ts';

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

const gates = ['Initialized.confirming', 'Succeeded.confirming', 'Failed.confirming', 'Waiting.gate'].flatMap((state): DecisionCase[] => [
  { state, when: 'nothing changed', ...gated, decision: 'wait' },
  { state, when: 'the revision is another one', ...gated, ...isNew, decision: 'pin' },
  { state, when: 'another revision comes with the answer', ...gated, ...isNew, event: { answer: 'passed' }, decision: 'pin' },
  { state, when: 'the promoted revision is back', ...gated, ...isBack, decision: 'noteReturn' },
  { state, when: 'the gate is open', ...gated, event: { answer: 'passed' }, decision: 'start' },
  {
    state,
    when: 'the gate is open, and pods have read configs',
    ...gated,
    target: { pods: 2, configs },
    event: { answer: 'passed' },
    decision: 'startAfterRecycling',
  },
  { state, when: 'the gate is open, and the spec is refused', ...gated, facts: refused, event: { answer: 'passed' }, decision: 'hold' },
  { state, when: 'the gate is closed', ...gated, event: { answer: 'refused' }, decision: 'hold' },
  { state, when: 'approved by a user', ...gated, event: { asks: 'promote' }, decision: 'start' },
  {
    state,
    when: 'approved, and pods have read configs',
    ...gated,
    target: { pods: 2, configs },
    event: { asks: 'promote' },
    decision: 'startAfterRecycling',
  },
  { state, when: 'rejected by a user', ...gated, event: { asks: 'rollback' }, decision: 'rollBack' },
]);

describe('E2, E7: decisions before a release', () => {
  itDecides([
    ...resting,
    ...gates,
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
    { state: 'Failed.confirming', when: 'a pause is asked for', event: { asks: 'pause' }, decision: 'wait' },

    { state: 'Waiting.gate', when: 'the next poll is due', due: true, decision: 'askAgain' },
    { state: 'Waiting.gate', when: 'it is due, and paused', due: true, release: paused, decision: 'wait' },
    { state: 'Waiting.gate', when: 'a pause is asked for', event: { asks: 'pause' }, decision: 'pause' },
    { state: 'Waiting.gate', when: 'its end is asked for', release: paused, event: { asks: 'resume' }, decision: 'resume' },

    { state: 'Succeeded.undoing', when: 'the target was written', event: { answer: 'written' }, decision: 'advance' },
    { state: 'Succeeded.undoing', when: 'the write was refused', event: { answer: 'refused' }, decision: 'advance' },
    { state: 'Succeeded.undoing', when: 'the target changes meanwhile', ...isNew, decision: 'wait' },
  ]);
});
