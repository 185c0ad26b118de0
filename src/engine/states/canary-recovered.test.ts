import { describe } from 'vitest';
import {
  type DecisionCase,
  deadlineMs,
  down,
  drainMs,
  itDecides,
  late,
  nowMs,
  scaler,
  short,
  weighted,
} from '../../../test/fakes/deciding.ts';

const one = { readiness: { state: 'ready' as const, ready: 1, wanted: 1 }, replicas: 1 };
const heldRoutes = weighted(80);
const gone = { routes: weighted(0), heldRoutes };
const big = { readiness: { state: 'ready' as const, ready: 10, wanted: 10 } };
const needy = { facts: { scaler }, target: one, primary: big };
const capacity = { side: 'target' as const, pods: 8 };
const patient = { stepStartedMs: nowMs - deadlineMs / 2, awaitedSinceMs: nowMs - deadlineMs / 2 };
const drained = { stepStartedMs: nowMs - drainMs };

describe('E6a, E27, E60, E102: decisions when it has recovered', () => {
  itDecides(
    ['Progressing', 'WaitingPromotion'].flatMap((phase): DecisionCase[] => {
      const state = `${phase}.canaryRecovered`;
      return [
        { state, when: 'the pause for proxies is over', release: { ...gone, ...drained }, decision: 'advance' },
        { state, when: 'the pause is not over', release: gone, decision: 'wait' },
        {
          state,
          when: 'the pause is over, and something is not written',
          release: { ...gone, ...drained },
          facts: { converged: false },
          decision: 'wait',
        },
        { state, when: 'it has too few pods', release: { ...gone, ...drained }, ...needy, decision: 'raise' },
        { state, when: 'the scaler gives less', release: { ...gone, capacity, ...patient }, ...needy, decision: 'advance' },
        { state, when: 'it is down again', release: gone, target: down, decision: 'fallBack' },
        { state, when: 'it is below its threshold at the deadline', release: { ...gone, ...late }, target: short, decision: 'rollBack' },
        { state, when: 'a wake came before the deadline', release: gone, target: short, due: true, decision: 'extend' },
      ];
    }),
  );
});
