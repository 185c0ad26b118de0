import { describe } from 'vitest';
import { itDecides } from '../../../test/fakes/deciding.ts';

describe('D1: decisions while the Canary is deleted', () => {
  itDecides([
    { state: 'Terminating', when: 'a new revision', target: { revision: 's1:c' }, decision: 'wait' },
    { state: 'Terminated', when: 'facts change', decision: 'wait' },
  ]);
});
