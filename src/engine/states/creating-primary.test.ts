import { describe } from 'vitest';
import { down, itDecides, late, scaler, short } from '../../../test/fakes/deciding.ts';

const creatingPrimary = 'Initializing.creatingPrimary';
const settling = 'Initializing.settling';

describe('E4: decisions while the first primary is made', () => {
  itDecides([
    { state: creatingPrimary, when: 'the primary is complete', decision: 'advance' },
    { state: creatingPrimary, when: 'it is not written', facts: { converged: false }, decision: 'wait' },
    { state: creatingPrimary, when: 'it is below its threshold', primary: short, decision: 'wait' },
    { state: creatingPrimary, when: 'it is late', primary: down, release: late, due: true, decision: 'reportLate' },
    { state: creatingPrimary, when: 'the deadline passed, and that was reported', primary: down, release: late, decision: 'wait' },
    { state: creatingPrimary, when: 'the wake came too early', primary: down, due: true, decision: 'wait' },
    { state: creatingPrimary, when: 'a scaler gave the target more pods', facts: { scaler }, decision: 'raise' },
    {
      state: creatingPrimary,
      when: 'it is raised, and has too few pods',
      facts: { scaler },
      target: { readiness: { state: 'ready', ready: 4, wanted: 4 } },
      release: { capacity: { side: 'primary', pods: 4 } },
      decision: 'wait',
    },
    {
      state: creatingPrimary,
      when: 'the same where the target does not serve',
      facts: { scaler },
      target: { readiness: { state: 'waiting', ready: 0, wanted: 4 }, serving: false },
      release: { capacity: { side: 'primary', pods: 4 } },
      decision: 'advance',
    },

    { state: settling, when: 'the pause for proxies is over', due: true, decision: 'advance' },
    { state: settling, when: 'the pause is not over', decision: 'wait' },
    { state: settling, when: 'the primary is lost', primary: down, due: true, decision: 'fallBack' },
    { state: settling, when: 'neither side serves', primary: down, target: down, due: true, decision: 'wait' },
    { state: settling, when: 'a scaler gave the target more pods', facts: { scaler }, due: true, decision: 'raise' },
  ]);
});
