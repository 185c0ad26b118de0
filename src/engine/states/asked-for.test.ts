import { describe } from 'vitest';
import { type DecisionCase, itDecides } from '../../../test/fakes/deciding.ts';

describe('E74: decisions while an undo is written', () => {
  itDecides([
    { state: 'Succeeded.undoing', when: 'the target was written', event: { answer: 'written' }, decision: 'advance' },
    { state: 'Succeeded.undoing', when: 'the write was refused', event: { answer: 'refused' }, decision: 'advance' },
    { state: 'Succeeded.undoing', when: 'the target changes meanwhile', target: { revision: 's1:c' }, decision: 'wait' },
  ]);
});

describe('E134: decisions while a restart is written', () => {
  itDecides(
    ['Initialized.restarting', 'Succeeded.restarting', 'Failed.restarting'].flatMap((state): DecisionCase[] => [
      { state, when: 'the primary was written', event: { answer: 'written' }, decision: 'advance' },
      { state, when: 'the write was refused', event: { answer: 'refused' }, decision: 'advance' },
      { state, when: 'the target changes meanwhile', target: { revision: 's1:c' }, decision: 'wait' },
    ]),
  );
});
