import { describe } from 'vitest';
import { decides, itDecides } from '../../../test/fakes/deciding.ts';

describe('D1: decisions while the Canary is deleted', () => {
  itDecides([
    decides('Terminating', 'a new revision', 'wait', { target: { revision: 's1:c' } }),
    decides('Terminated', 'facts change', 'wait'),
  ]);
});
