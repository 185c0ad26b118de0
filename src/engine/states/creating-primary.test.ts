import { describe } from 'vitest';
import { decides, down, itDecides, late, scaler, short } from '../../../test/fakes/deciding.ts';

const creatingPrimary = 'Initializing.creatingPrimary';
const settling = 'Initializing.settling';

describe('E4: decisions while the first primary is made', () => {
  itDecides([
    decides(creatingPrimary, 'the primary is complete', 'advance'),
    decides(creatingPrimary, 'it is not written', 'wait', { facts: { converged: false } }),
    decides(creatingPrimary, 'it is below its threshold', 'wait', { primary: short }),
    decides(creatingPrimary, 'it is late', 'reportLate', { primary: down, release: late, due: true }),
    decides(creatingPrimary, 'the deadline passed, and that was reported', 'wait', { primary: down, release: late }),
    decides(creatingPrimary, 'the wake came too early', 'wait', { primary: down, due: true }),
    decides(creatingPrimary, 'a scaler gave the target more pods', 'raise', { facts: { scaler } }),
    decides(creatingPrimary, 'it is raised, and has too few pods', 'wait', {
      facts: { scaler },
      target: { readiness: { state: 'ready', ready: 4, wanted: 4 } },
      release: { capacity: { side: 'primary', pods: 4 } },
    }),
    decides(creatingPrimary, 'the same where the target does not serve', 'advance', {
      facts: { scaler },
      target: { readiness: { state: 'waiting', ready: 0, wanted: 4 }, serving: false },
      release: { capacity: { side: 'primary', pods: 4 } },
    }),

    decides(settling, 'the pause for proxies is over', 'advance', { due: true }),
    decides(settling, 'the pause is not over', 'wait'),
    decides(settling, 'the primary is lost', 'fallBack', { primary: down, due: true }),
    decides(settling, 'neither side serves', 'wait', { primary: down, target: down, due: true }),
    decides(settling, 'a scaler gave the target more pods', 'raise', { facts: { scaler }, due: true }),
  ]);
});
