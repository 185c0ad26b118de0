import { describe } from 'vitest';
import {
  type DecisionCase,
  deadlineMs,
  decides,
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
        decides(state, 'the pause for proxies is over', 'advance', { release: { ...gone, ...drained } }),
        decides(state, 'the pause is not over', 'wait', { release: gone }),
        decides(state, 'the pause is over, and something is not written', 'wait', {
          release: { ...gone, ...drained },
          facts: { converged: false },
        }),
        decides(state, 'it has too few pods', 'raise', { release: { ...gone, ...drained }, ...needy }),
        decides(state, 'the scaler gives less', 'advance', { release: { ...gone, capacity, ...patient }, ...needy }),
        decides(state, 'it is down again', 'fallBack', { release: gone, target: down }),
        decides(state, 'it is below its threshold at the deadline', 'rollBack', { release: { ...gone, ...late }, target: short }),
        decides(state, 'a wake came before the deadline', 'extend', { release: gone, target: short, due: true }),
      ];
    }),
  );
});
