import { describe } from 'vitest';
import { itDecides } from '../../../test/fakes/deciding.ts';

describe('E4: decisions before anything is recorded', () => {
  itDecides([
    { state: 'New', when: 'the controller starts', event: 'RESUME', decision: 'advance' },
    { state: 'New', when: 'facts change', decision: 'advance' },
    { state: 'New', when: 'only the clock has moved', event: 'WAKE', decision: 'wait' },
  ]);
});
