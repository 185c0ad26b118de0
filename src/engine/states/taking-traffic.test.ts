import { describe } from 'vitest';
import { itDecides } from '../../../test/fakes/deciding.ts';

const state = 'Initializing.takingTraffic';

describe('E4: decisions while the first primary takes the traffic', () => {
  itDecides([
    { state, when: 'the routes point at the primary', decision: 'advance' },
    { state, when: 'they do not yet', facts: { converged: false }, decision: 'wait' },
    { state, when: 'the primary is lost', primary: null, decision: 'fallBack' },
  ]);
});
