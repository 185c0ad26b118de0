import { describe } from 'vitest';
import { type DecisionCase, decides, itDecides } from '../../../test/fakes/deciding.ts';

describe('E74: decisions while an undo is written', () => {
  itDecides([
    decides('Succeeded.undoing', 'the target was written', 'advance', { event: { answer: 'written' } }),
    decides('Succeeded.undoing', 'the write was refused', 'advance', { event: { answer: 'refused' } }),
    decides('Succeeded.undoing', 'the target changes meanwhile', 'wait', { target: { revision: 's1:c' } }),
  ]);
});

describe('E134: decisions while a restart is written', () => {
  itDecides(
    ['Initialized.restarting', 'Succeeded.restarting', 'Failed.restarting'].flatMap((state): DecisionCase[] => [
      decides(state, 'the primary was written', 'advance', { event: { answer: 'written' } }),
      decides(state, 'the write was refused', 'advance', { event: { answer: 'refused' } }),
      decides(state, 'the target changes meanwhile', 'wait', { target: { revision: 's1:c' } }),
    ]),
  );
});
