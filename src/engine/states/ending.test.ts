import { describe } from 'vitest';
import {
  type DecisionCase,
  down,
  drainMs,
  itDecides,
  late,
  nowMs,
  refused,
  scaler,
  short,
  stalled,
  weighted,
} from '../../../test/fakes/deciding.ts';

const noTraffic = { routes: weighted(0) };
const pending = { facts: { converged: false } };
const longEnough = { stepStartedMs: nowMs - 10_000 };
const drained = { ...noTraffic, stepStartedMs: nowMs - drainMs };
const pods = (ready: number) => ({ readiness: { state: 'waiting' as const, ready, wanted: 10 } });
const raised = { facts: { scaler }, release: { routes: weighted(80), capacity: { side: 'primary' as const, pods: 10 } } };
const configs = { 'configmap/a': { uid: 'u', resourceVersion: '1', checksum: 'x' } };
const isNew = { target: { revision: 's1:c' } };

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
    { state: `${phase}.draining`, when: 'proxies had their time', release: drained, decision: 'advance' },
    { state: `${phase}.draining`, when: 'they had not', release: noTraffic, decision: 'wait' },
    { state: `${phase}.draining`, when: 'the primary does not serve', release: drained, primary: down, decision: 'wait' },
  ];
});

/** A newer revision while the pods of an ended release drain (E50a). */
const overtaken = ['Succeeded.draining', 'Failed.draining'].flatMap((state): DecisionCase[] => [
  { state, when: 'a new revision needs the pods', ...isNew, release: noTraffic, decision: 'start' },
  { state, when: 'a new revision, also when they may go', ...isNew, release: drained, decision: 'start' },
  { state, when: 'a new revision with a gate waits', ...isNew, release: noTraffic, hooks: ['confirm-rollout'], decision: 'wait' },
  { state, when: 'a new revision with a refused spec waits', ...isNew, release: drained, facts: refused, decision: 'advance' },
]);

describe('E5, E31, E50a: decisions at the end of a release', () => {
  const rolling = { primary: { ...short, progress: { lastMs: nowMs - 1, updated: 1 } }, release: { ...late, ...noTraffic }, due: true };
  const withPods = { target: { revision: 's1:c', pods: 2, configs } };
  itDecides([
    ...returning,
    ...overtaken,
    {
      state: 'Succeeded.draining',
      when: 'a new revision, and pods have read configs',
      ...withPods,
      release: { ...noTraffic, configs },
      decision: 'startAfterRecycling',
    },
    {
      state: 'Failed.draining',
      when: 'a new revision, and pods have read the same configs',
      ...withPods,
      release: { ...noTraffic, configs },
      decision: 'start',
    },
    {
      state: 'Failed.draining',
      when: 'a new revision, and pods have read other configs',
      ...withPods,
      release: noTraffic,
      decision: 'startAfterRecycling',
    },
    { state: 'Finalising.draining', when: 'a new revision waits for the end', ...isNew, release: noTraffic, decision: 'wait' },
    ...['Finalising.returningTraffic', 'Finalising.draining'].flatMap((state): DecisionCase[] => [
      { state, when: 'the promoted primary is stalled', primary: stalled, decision: 'failPromotion' },
      { state, when: 'it is not ready at the deadline', primary: short, release: late, decision: 'failPromotion' },
      { state, when: 'its rollout goes on', ...rolling, ...pending, decision: 'extend' },
    ]),
    { state: 'Succeeded.returningTraffic', when: 'the primary is stalled', primary: stalled, decision: 'wait' },
  ]);
});

describe('E44: decisions after a failed promotion', () => {
  const serving = { state: 'Failed.servingFromCanary' };
  const restoring = { state: 'Failed.restoringPrimary' };
  itDecides([
    { ...serving, when: 'the routes are written', primary: down, decision: 'advance' },
    { ...serving, when: 'they are not', primary: down, ...pending, decision: 'wait' },
    { ...serving, when: 'they are not after the longest wait', primary: down, ...pending, release: longEnough, decision: 'advance' },
    { ...serving, when: 'the canary is down, and the primary serves', target: down, decision: 'routeToPrimary' },
    { ...restoring, when: 'the primary is back at its last promoted template', decision: 'advance' },
    { ...restoring, when: 'it holds something else', primary: { carries: 's1:b' }, decision: 'wait' },
    {
      ...restoring,
      when: 'nothing was promoted before',
      primary: { carries: 's1:b' },
      release: { promotedRevision: undefined as never },
      decision: 'advance',
    },
    { ...restoring, when: 'it is not ready', primary: short, decision: 'wait' },
    { ...restoring, when: 'the next try is due', primary: short, due: true, decision: 'askAgain' },
    { ...restoring, when: 'it was written', primary: short, event: { answer: 'written' }, decision: 'close' },
    { ...restoring, when: 'the write was refused', primary: short, event: { answer: 'refused' }, decision: 'hold' },
    {
      ...restoring,
      when: 'the canary is down, and the primary serves',
      target: down,
      event: { answer: 'written' },
      decision: 'routeToPrimary',
    },
  ]);
});
