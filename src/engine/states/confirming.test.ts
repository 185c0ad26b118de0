import { describe } from 'vitest';
import { type DecisionCase, itDecides, paused, refused } from '../../../test/fakes/deciding.ts';

const isNew = { target: { revision: 's1:c' } };
/** Pods of an idle target that have read a config. */
const configs = { 'configmap/a': { uid: 'u', resourceVersion: '1', checksum: 'x' } };
const isBack = { target: { revision: 's1:a' } };
const gated = { hooks: ['confirm-rollout'] } satisfies Partial<DecisionCase>;

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

describe('E7: decisions while confirm-rollout is called', () => {
  itDecides([
    ...gates,
    { state: 'Failed.confirming', when: 'a pause is asked for', event: { asks: 'pause' }, decision: 'wait' },

    { state: 'Waiting.gate', when: 'the next poll is due', due: true, decision: 'repeat' },
    { state: 'Waiting.gate', when: 'it is due, and paused', due: true, release: paused, decision: 'wait' },
    { state: 'Waiting.gate', when: 'a pause is asked for', event: { asks: 'pause' }, decision: 'pause' },
    { state: 'Waiting.gate', when: 'its end is asked for', release: paused, event: { asks: 'resume' }, decision: 'resume' },
  ]);
});
