import { describe } from 'vitest';
import {
  type DecisionCase,
  deadlineMs,
  decides,
  down,
  itDecides,
  late,
  nowMs,
  paused,
  scaler,
  weighted,
} from '../../../test/fakes/deciding.ts';

const one = { readiness: { state: 'ready' as const, ready: 1, wanted: 1 }, replicas: 1 };
const heldRoutes = weighted(80);
const gone = { routes: weighted(0), heldRoutes };
const big = { readiness: { state: 'ready' as const, ready: 10, wanted: 10 } };
const needy = { facts: { scaler }, target: one, primary: big };
const capacity = { side: 'target' as const, pods: 8 };
const patient = { stepStartedMs: nowMs - deadlineMs / 2, awaitedSinceMs: nowMs - deadlineMs / 2 };

describe('E27, E60, E102: decisions while the canary has no serving pods', () => {
  itDecides(
    ['Progressing', 'WaitingPromotion'].flatMap((phase): DecisionCase[] => {
      const state = `${phase}.canaryUnavailable`;
      return [
        decides(state, 'it recovers', 'advance', { release: gone }),
        decides(state, 'it is down', 'wait', { release: gone, target: down }),
        decides(state, 'it is down at the deadline', 'rollBack', { release: { ...gone, ...late }, target: down }),
        decides(state, 'it is down at the deadline while paused', 'wait', { release: { ...gone, ...late, ...paused }, target: down }),
        decides(state, 'a wake came before the deadline', 'extend', { release: gone, target: down, due: true }),
        decides(state, 'it recovers, and something is not written', 'wait', { release: gone, facts: { converged: false } }),
        decides(state, 'it recovers with too few pods', 'raise', { release: gone, ...needy }),
        decides(state, 'it is raised, and has too few pods', 'wait', { release: { ...gone, capacity }, ...needy }),
        decides(state, 'the scaler gives less', 'advance', { release: { ...gone, capacity, ...patient }, ...needy }),
      ];
    }),
  );
});
