import { describe } from 'vitest';
import { type DecisionCase, down, itDecides, late, nowMs, scaler, short, stalled, weighted } from '../../../test/fakes/deciding.ts';

const noTraffic = { routes: weighted(0) };
const pending = { facts: { converged: false } };
const longEnough = { stepStartedMs: nowMs - 10_000 };
const pods = (ready: number) => ({ readiness: { state: 'waiting' as const, ready, wanted: 10 } });
const raised = { facts: { scaler }, release: { routes: weighted(80), capacity: { side: 'primary' as const, pods: 10 } } };

const returning = ['Finalising', 'Succeeded', 'Failed'].flatMap((phase): DecisionCase[] => {
  const state = `${phase}.returningTraffic`;
  return [
    { state, when: 'the primary is ready', decision: 'routeToPrimary' },
    { state, when: 'it serves below its threshold', primary: short, decision: 'wait' },
    { state, when: 'it serves, and had its time', primary: short, release: longEnough, decision: 'routeToPrimary' },
    { state, when: 'it serves, and the canary does not', primary: short, target: down, decision: 'routeToPrimary' },
    { state, when: 'it does not serve while the canary does', primary: down, release: longEnough, decision: 'wait' },
    { state, when: 'it has some of the pods that it needs', primary: pods(5), ...raised, decision: 'routeSome' },
    { state, when: 'it has too few more for a step', primary: pods(2), ...raised, decision: 'wait' },
    {
      state,
      when: 'it has all of them',
      primary: { readiness: { state: 'ready', ready: 10, wanted: 10 } },
      ...raised,
      decision: 'routeToPrimary',
    },
    { state, when: 'all traffic is on it', release: noTraffic, decision: 'advance' },
    { state, when: 'all traffic is on it, and that is not written', release: noTraffic, ...pending, decision: 'wait' },
  ];
});

describe('E31: decisions while traffic returns to the primary', () => {
  const state = 'Finalising.returningTraffic';
  const rolling = { primary: { ...short, progress: { lastMs: nowMs - 1, updated: 1 } }, release: { ...late, ...noTraffic }, due: true };
  itDecides([
    ...returning,
    { state, when: 'the promoted primary is stalled', primary: stalled, decision: 'failPromotion' },
    { state, when: 'it is not ready at the deadline', primary: short, release: late, decision: 'failPromotion' },
    { state, when: 'its rollout goes on', ...rolling, ...pending, decision: 'extend' },
    { state: 'Succeeded.returningTraffic', when: 'the primary is stalled', primary: stalled, decision: 'wait' },
  ]);
});
