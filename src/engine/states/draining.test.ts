import { describe } from 'vitest';
import {
  type DecisionCase,
  deadlineMs,
  down,
  drainMs,
  itDecides,
  late,
  nowMs,
  refused,
  short,
  stalled,
  weighted,
} from '../../../test/fakes/deciding.ts';

const first = 'Initializing.draining';
const noTraffic = { routes: weighted(0) };
const pending = { facts: { converged: false } };
const drainedFirst = { stepStartedMs: nowMs - drainMs };
const drained = { ...noTraffic, ...drainedFirst };
const configs = { 'configmap/a': { uid: 'u', resourceVersion: '1', checksum: 'x' } };
const isNew = { target: { revision: 's1:c' } };

describe('E4, E5: decisions while the pods of the target are kept, after the bootstrap', () => {
  itDecides([
    { state: first, when: 'proxies had their time', release: drainedFirst, decision: 'advance' },
    { state: first, when: 'they had not', decision: 'wait' },
    { state: first, when: 'the primary does not serve', release: drainedFirst, primary: down, decision: 'wait' },
    { state: first, when: 'something is not written', release: drainedFirst, ...pending, decision: 'wait' },
    {
      state: first,
      when: 'the progress deadline passed without it',
      release: { stepStartedMs: nowMs - deadlineMs },
      primary: down,
      decision: 'wait',
    },
  ]);
});

const kept = ['Finalising', 'Succeeded', 'Failed'].flatMap((phase): DecisionCase[] => [
  { state: `${phase}.draining`, when: 'proxies had their time', release: drained, decision: 'advance' },
  { state: `${phase}.draining`, when: 'they had not', release: noTraffic, decision: 'wait' },
  { state: `${phase}.draining`, when: 'the primary does not serve', release: drained, primary: down, decision: 'wait' },
]);

/** A newer revision while the pods of an ended release drain (E50a). */
const overtaken = ['Succeeded.draining', 'Failed.draining'].flatMap((state): DecisionCase[] => [
  { state, when: 'a new revision needs the pods', ...isNew, release: noTraffic, decision: 'start' },
  { state, when: 'a new revision, also when they may go', ...isNew, release: drained, decision: 'start' },
  { state, when: 'a new revision with a gate waits', ...isNew, release: noTraffic, hooks: ['confirm-rollout'], decision: 'wait' },
  { state, when: 'a new revision with a refused spec waits', ...isNew, release: drained, facts: refused, decision: 'advance' },
]);

describe('E5, E50a: decisions while the pods of the canary are kept', () => {
  const state = 'Finalising.draining';
  const rolling = { primary: { ...short, progress: { lastMs: nowMs - 1, updated: 1 } }, release: { ...late, ...noTraffic }, due: true };
  const withPods = { target: { revision: 's1:c', pods: 2, configs } };
  itDecides([
    ...kept,
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
    { state, when: 'a new revision waits for the end', ...isNew, release: noTraffic, decision: 'wait' },
    { state, when: 'the promoted primary is stalled', primary: stalled, decision: 'failPromotion' },
    { state, when: 'it is not ready at the deadline', primary: short, release: late, decision: 'failPromotion' },
    { state, when: 'its rollout goes on', ...rolling, ...pending, decision: 'extend' },
  ]);
});
