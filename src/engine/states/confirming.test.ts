import { describe } from 'vitest';
import { type DecisionCase, decides, itDecides, paused, refused } from '../../../test/fakes/deciding.ts';

const isNew = { target: { revision: 's1:c' } };
/** Pods of an idle target that have read a config. */
const configs = { 'configmap/a': { uid: 'u', resourceVersion: '1', checksum: 'x' } };
const isBack = { target: { revision: 's1:a' } };
const gated = { hooks: ['confirm-rollout'] } satisfies Partial<DecisionCase>;

const gates = ['Initialized.confirming', 'Succeeded.confirming', 'Failed.confirming', 'Waiting.gate'].flatMap((state): DecisionCase[] => [
  decides(state, 'nothing changed', 'wait', gated),
  decides(state, 'the revision is another one', 'pin', { ...gated, ...isNew }),
  decides(state, 'another revision comes with the answer', 'pin', { ...gated, ...isNew, event: { answer: 'passed' } }),
  decides(state, 'the promoted revision is back', 'noteReturn', { ...gated, ...isBack }),
  decides(state, 'the gate is open', 'start', { ...gated, event: { answer: 'passed' } }),
  decides(state, 'the gate is open, and pods have read configs', 'startAfterRecycling', {
    ...gated,
    target: { pods: 2, configs },
    event: { answer: 'passed' },
  }),
  decides(state, 'the gate is open, and the spec is refused', 'hold', { ...gated, facts: refused, event: { answer: 'passed' } }),
  decides(state, 'the gate is closed', 'hold', { ...gated, event: { answer: 'refused' } }),
  decides(state, 'approved by a user', 'start', { ...gated, event: { asks: 'promote' } }),
  decides(state, 'approved, and pods have read configs', 'startAfterRecycling', {
    ...gated,
    target: { pods: 2, configs },
    event: { asks: 'promote' },
  }),
  decides(state, 'rejected by a user', 'rollBack', { ...gated, event: { asks: 'rollback' } }),
]);

describe('E7: decisions while confirm-rollout is called', () => {
  itDecides([
    ...gates,
    decides('Failed.confirming', 'a pause is asked for', 'wait', { event: { asks: 'pause' } }),

    decides('Waiting.gate', 'the next poll is due', 'repeat', { due: true }),
    decides('Waiting.gate', 'it is due, and paused', 'wait', { due: true, release: paused }),
    decides('Waiting.gate', 'a pause is asked for', 'pause', { event: { asks: 'pause' } }),
    decides('Waiting.gate', 'its end is asked for', 'resume', { release: paused, event: { asks: 'resume' } }),
  ]);
});
