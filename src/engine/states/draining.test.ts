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
    decides(first, 'proxies had their time', 'advance', { release: drainedFirst }),
    decides(first, 'they had not', 'wait'),
    decides(first, 'the primary does not serve', 'wait', { release: drainedFirst, primary: down }),
    decides(first, 'something is not written', 'wait', { release: drainedFirst, ...pending }),
    decides(first, 'the progress deadline passed without it', 'wait', { release: { stepStartedMs: nowMs - deadlineMs }, primary: down }),
  ]);
});

const kept = ['Finalising', 'Succeeded', 'Failed'].flatMap((phase): DecisionCase[] => [
  decides(`${phase}.draining`, 'proxies had their time', 'advance', { release: drained }),
  decides(`${phase}.draining`, 'they had not', 'wait', { release: noTraffic }),
  decides(`${phase}.draining`, 'the primary does not serve', 'wait', { release: drained, primary: down }),
]);

/** A newer revision while the pods of an ended release drain (E50a). */
const overtaken = ['Succeeded.draining', 'Failed.draining'].flatMap((state): DecisionCase[] => [
  decides(state, 'a new revision needs the pods', 'start', { ...isNew, release: noTraffic }),
  decides(state, 'a new revision, also when they may go', 'start', { ...isNew, release: drained }),
  decides(state, 'a new revision with a gate waits', 'wait', { ...isNew, release: noTraffic, hooks: ['confirm-rollout'] }),
  decides(state, 'a new revision with a refused spec waits', 'advance', { ...isNew, release: drained, facts: refused }),
]);

describe('E5, E50a: decisions while the pods of the canary are kept', () => {
  const state = 'Finalising.draining';
  const rolling = { primary: { ...short, progress: { lastMs: nowMs - 1, updated: 1 } }, release: { ...late, ...noTraffic }, due: true };
  const withPods = { target: { revision: 's1:c', pods: 2, configs } };
  itDecides([
    ...kept,
    ...overtaken,
    decides('Succeeded.draining', 'a new revision, and pods have read configs', 'startAfterRecycling', {
      ...withPods,
      release: { ...noTraffic, configs },
    }),
    decides('Failed.draining', 'a new revision, and pods have read the same configs', 'start', {
      ...withPods,
      release: { ...noTraffic, configs },
    }),
    decides('Failed.draining', 'a new revision, and pods have read other configs', 'startAfterRecycling', {
      ...withPods,
      release: noTraffic,
    }),
    decides(state, 'a new revision waits for the end', 'wait', { ...isNew, release: noTraffic }),
    decides(state, 'the promoted primary is stalled', 'failPromotion', { primary: stalled }),
    decides(state, 'it is not ready at the deadline', 'failPromotion', { primary: short, release: late }),
    decides(state, 'its rollout goes on', 'extend', { ...rolling, ...pending }),
  ]);
});
