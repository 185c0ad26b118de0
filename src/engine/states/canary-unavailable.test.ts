import { describe } from 'vitest';
import { type DecisionCase, deadlineMs, down, itDecides, late, nowMs, paused, scaler, weighted } from '../../../test/fakes/deciding.ts';

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
        { state, when: 'it recovers', release: gone, decision: 'advance' },
        { state, when: 'it is down', release: gone, target: down, decision: 'wait' },
        { state, when: 'it is down at the deadline', release: { ...gone, ...late }, target: down, decision: 'rollBack' },
        {
          state,
          when: 'it is down at the deadline while paused',
          release: { ...gone, ...late, ...paused },
          target: down,
          decision: 'wait',
        },
        { state, when: 'a wake came before the deadline', release: gone, target: down, due: true, decision: 'extend' },
        { state, when: 'it recovers, and something is not written', release: gone, facts: { converged: false }, decision: 'wait' },
        { state, when: 'it recovers with too few pods', release: gone, ...needy, decision: 'raise' },
        { state, when: 'it is raised, and has too few pods', release: { ...gone, capacity }, ...needy, decision: 'wait' },
        { state, when: 'the scaler gives less', release: { ...gone, capacity, ...patient }, ...needy, decision: 'advance' },
      ];
    }),
  );
});
