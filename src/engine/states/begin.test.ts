import { describe } from 'vitest';
import { decides, itDecides } from '../../../test/fakes/deciding.ts';

describe('E4: decisions before anything is recorded', () => {
  itDecides([
    decides('New', 'the controller starts', 'advance', { event: 'RESUME' }),
    decides('New', 'facts change', 'advance'),
    decides('New', 'only the clock has moved', 'wait', { event: 'WAKE' }),
  ]);
});
