import { describe } from 'vitest';
import { decides, itDecides } from '../../../test/fakes/deciding.ts';

const state = 'Initializing.takingTraffic';

describe('E4: decisions while the first primary takes the traffic', () => {
  itDecides([
    decides(state, 'the routes point at the primary', 'advance'),
    decides(state, 'they do not yet', 'wait', { facts: { converged: false } }),
    decides(state, 'the primary is lost', 'fallBack', { primary: null }),
  ]);
});
