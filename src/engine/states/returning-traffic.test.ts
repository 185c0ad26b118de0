import { describe } from 'vitest';
import {
  type DecisionCase,
  decides,
  down,
  itDecides,
  late,
  nowMs,
  scaler,
  short,
  stalled,
  weighted,
} from '../../../test/fakes/deciding.ts';

const noTraffic = { routes: weighted(0) };
const pending = { facts: { converged: false } };
const longEnough = { stepStartedMs: nowMs - 10_000 };
const pods = (ready: number) => ({ readiness: { state: 'waiting' as const, ready, wanted: 10 } });
const raised = { facts: { scaler }, release: { routes: weighted(80), capacity: { side: 'primary' as const, pods: 10 } } };

const returning = ['Finalising', 'Succeeded', 'Failed'].flatMap((phase): DecisionCase[] => {
  const state = `${phase}.returningTraffic`;
  return [
    decides(state, 'the primary is ready', 'routeToPrimary'),
    decides(state, 'it serves below its threshold', 'wait', { primary: short }),
    decides(state, 'it serves, and had its time', 'routeToPrimary', { primary: short, release: longEnough }),
    decides(state, 'it serves, and the canary does not', 'routeToPrimary', { primary: short, target: down }),
    decides(state, 'it does not serve while the canary does', 'wait', { primary: down, release: longEnough }),
    decides(state, 'it has some of the pods that it needs', 'routeSome', { primary: pods(5), ...raised }),
    decides(state, 'it has too few more for a step', 'wait', { primary: pods(2), ...raised }),
    decides(state, 'it has all of them', 'routeToPrimary', {
      primary: { readiness: { state: 'ready', ready: 10, wanted: 10 } },
      ...raised,
    }),
    decides(state, 'all traffic is on it', 'advance', { release: noTraffic }),
    decides(state, 'all traffic is on it, and that is not written', 'wait', { release: noTraffic, ...pending }),
  ];
});

describe('E31: decisions while traffic returns to the primary', () => {
  const state = 'Finalising.returningTraffic';
  const rolling = { primary: { ...short, progress: { lastMs: nowMs - 1, updated: 1 } }, release: { ...late, ...noTraffic }, due: true };
  itDecides([
    ...returning,
    decides(state, 'the promoted primary is stalled', 'failPromotion', { primary: stalled }),
    decides(state, 'it is not ready at the deadline', 'failPromotion', { primary: short, release: late }),
    decides(state, 'its rollout goes on', 'extend', { ...rolling, ...pending }),
    decides('Succeeded.returningTraffic', 'the primary is stalled', 'wait', { primary: stalled }),
  ]);
});
