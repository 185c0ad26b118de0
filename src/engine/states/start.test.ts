import { describe } from 'vitest';
import {
  type DecisionCase,
  deadlineMs,
  down,
  drainMs,
  itDecides,
  late,
  nowMs,
  paused,
  refused,
  scaler,
  short,
  unconfirmed,
  unroutable,
  weighted,
} from '../../../test/fakes/deciding.ts';

const step = (name: string) => ({ state: `Progressing.${name}` });
const noTraffic = { routes: weighted(0) };
const off = { release: noTraffic };
const pending = { facts: { converged: false } };
/** The next step needs two pods of the three that carry the load: the canary has one. */
const tooFew = {
  facts: { scaler },
  target: { readiness: { state: 'ready' as const, ready: 1, wanted: 1 }, replicas: 1 },
  analysis: { stepWeight: 60 },
  primary: { readiness: { state: 'ready' as const, ready: 3, wanted: 3 } },
};
const traffic = { hooks: ['confirm-traffic-increase'] } satisfies Partial<DecisionCase>;
const preRollout = { hooks: ['pre-rollout'] } satisfies Partial<DecisionCase>;
const passed = { event: { answer: 'passed' } } satisfies Partial<DecisionCase>;
const closed = { event: { answer: 'refused' } } satisfies Partial<DecisionCase>;

describe('E56: decisions while old pods are recycled', () => {
  itDecides([
    { ...step('recycleRouting'), when: 'the canary has traffic', decision: 'routeToPrimary' },
    { ...step('recycleRouting'), when: 'the primary cannot take it', primary: down, decision: 'wait' },
    { ...step('recycleRouting'), when: 'neither side serves', primary: down, target: down, decision: 'routeToPrimary' },
    { ...step('recycleRouting'), when: 'the routes are written', ...off, decision: 'advance' },
    { ...step('recycleRouting'), when: 'they are not', ...off, ...pending, decision: 'wait' },
    {
      ...step('recycleDraining'),
      when: 'proxies had their time',
      release: { ...noTraffic, stepStartedMs: nowMs - drainMs },
      decision: 'advance',
    },
    { ...step('recycleDraining'), when: 'they had not', ...off, decision: 'wait' },
    { ...step('recycleStopping'), when: 'no pod is left', target: { pods: 0 }, decision: 'advance' },
    { ...step('recycleStopping'), when: 'no pod is left, late', target: { pods: 0 }, release: late, decision: 'advance' },
    { ...step('recycleStopping'), when: 'a pod is left', target: { pods: 1 }, decision: 'wait' },
    { ...step('recycleStopping'), when: 'a pod is left at the deadline', target: { pods: 1 }, release: late, decision: 'giveUp' },
    {
      ...step('recycleStopping'),
      when: 'a pod is left while blocked',
      target: { pods: 1 },
      release: late,
      facts: { blocker: { code: 'Other' } },
      decision: 'wait',
    },
    {
      ...step('recycleStopping'),
      when: 'a pod is left while paused',
      target: { pods: 1 },
      release: { ...late, ...paused },
      decision: 'wait',
    },
  ]);
});

describe('E1, E6, E6a, E100: decisions before the first traffic', () => {
  const configs = (resourceVersion: string) => ({ 'configmap/a': { uid: 'u', resourceVersion, checksum: 'x' } });
  const lateNow = { release: { ...noTraffic, ...late } };
  itDecides([
    { ...step('scalingUp'), when: 'the canary has traffic', decision: 'routeToPrimary' },
    { ...step('scalingUp'), when: 'the canary is ready', ...off, decision: 'advance' },
    { ...step('scalingUp'), when: 'something is not written', ...off, ...pending, decision: 'wait' },
    { ...step('scalingUp'), when: 'it is below its threshold', ...off, target: short, decision: 'wait' },
    { ...step('scalingUp'), when: 'it is late', ...lateNow, target: short, decision: 'rollBack' },
    {
      ...step('scalingUp'),
      when: 'it is late while paused',
      release: { ...noTraffic, ...late, ...paused },
      target: short,
      decision: 'wait',
    },
    { ...step('scalingUp'), when: 'it is ready at the deadline', ...lateNow, decision: 'advance' },
    {
      ...step('scalingUp'),
      when: 'its rollout goes on',
      ...lateNow,
      due: true,
      target: { ...short, progress: { lastMs: nowMs - 1, updated: 1 } },
      decision: 'extend',
    },
    {
      ...step('scalingUp'),
      when: 'its rollout went on, and nothing is due',
      ...lateNow,
      target: { ...short, progress: { lastMs: nowMs - 1, updated: 1 } },
      decision: 'wait',
    },
    {
      ...step('scalingUp'),
      when: 'a config was written before there was a pod',
      release: { ...noTraffic, configs: configs('1') },
      target: { ...down, pods: 0, configs: configs('2') },
      decision: 'pin',
    },

    { ...step('settling'), when: 'the pause for proxies is not over', ...off, decision: 'wait' },
    { ...step('settling'), when: 'it is over', ...off, due: true, decision: 'step' },
    { ...step('settling'), when: 'it is over, and the next step needs more pods', ...off, due: true, ...tooFew, decision: 'raise' },
    {
      ...step('settling'),
      when: 'it is over, and the hooks are to be called',
      ...off,
      due: true,
      ...preRollout,
      ...tooFew,
      decision: 'askHooks',
    },
    {
      ...step('settling'),
      when: 'the hooks are to be called, whatever the primary does',
      ...off,
      due: true,
      ...preRollout,
      primary: down,
      decision: 'askHooks',
    },
    {
      ...step('settling'),
      when: 'the hooks have passed',
      release: { ...noTraffic, preRolloutPassed: true },
      due: true,
      ...preRollout,
      decision: 'step',
    },
    { ...step('settling'), when: 'the gate is to be asked', ...off, due: true, ...traffic, ...tooFew, decision: 'askTraffic' },
    {
      ...step('settling'),
      when: 'the gate is not for iterations',
      ...off,
      due: true,
      ...traffic,
      analysis: { iterations: 2 },
      decision: 'step',
    },
    { ...step('settling'), when: 'the primary is not ready (E80)', ...off, due: true, primary: short, decision: 'wait' },
    { ...step('settling'), when: 'the primary is not ready, with a gate', ...off, due: true, ...traffic, primary: short, decision: 'wait' },
    { ...step('settling'), when: 'the routes are not in force (E63)', ...off, due: true, facts: unconfirmed, decision: 'wait' },
    { ...step('settling'), when: 'the spec is refused', ...off, due: true, facts: refused, ...preRollout, decision: 'wait' },
    { ...step('settling'), when: 'the routes can hold no share', ...off, due: true, facts: unroutable, ...preRollout, decision: 'wait' },
    { ...step('settling'), when: 'it is paused', release: { ...noTraffic, ...paused }, due: true, ...preRollout, decision: 'wait' },
    { ...step('settling'), when: 'the canary is below its threshold', ...off, due: true, target: short, decision: 'fallBack' },
    {
      ...step('settling'),
      when: 'it is below while paused',
      release: { ...noTraffic, ...paused },
      due: true,
      target: short,
      decision: 'wait',
    },
    { ...step('settling'), when: 'it is below before the pause is over', ...off, target: short, decision: 'wait' },
    { ...step('settling'), when: 'it is down', ...off, target: down, decision: 'fallBack' },
  ]);
});

describe('E8, E81: decisions of the pre-rollout hooks and their gate', () => {
  const hooks = step('preRollout.hooks');
  const gate = step('preRollout.gate');
  const after: DecisionCase[] = [hooks, gate].flatMap((at) => [
    { ...at, when: 'passed', ...passed, decision: 'step' },
    { ...at, when: 'passed, and the step needs more pods', ...passed, ...tooFew, decision: 'raise' },
    { ...at, when: 'the canary is down', target: down, ...passed, decision: 'fallBack' },
    { ...at, when: 'it is below its threshold when the next poll is due', target: short, due: true, decision: 'fallBack' },
    { ...at, when: 'the next poll is due', due: true, decision: 'askAgain' },
    { ...at, when: 'it is due while paused', release: paused, due: true, decision: 'wait' },
    { ...at, when: 'the rollback hooks are asked first (E82)', hooks: ['rollback'], due: true, decision: 'wait' },
  ]);
  const held = [
    { when: 'the spec is refused', facts: refused },
    { when: 'the routes are not in force', facts: unconfirmed },
    { when: 'the routes can hold no share', facts: unroutable },
    { when: 'the primary is not ready', primary: short },
    { when: 'the canary is below its threshold', target: short },
  ].flatMap(({ when, ...how }): DecisionCase[] => [
    { ...hooks, when: `passed, and ${when}`, ...passed, ...how, decision: 'awaitPods' },
    {
      ...hooks,
      when: `passed with a gate, and ${when}`,
      hooks: ['pre-rollout', 'confirm-traffic-increase'],
      ...passed,
      ...how,
      decision: 'askTraffic',
    },
    { ...gate, when: `passed, and ${when}`, ...passed, ...how, decision: 'fallBack' },
  ]);
  itDecides([
    ...after,
    ...held,
    { ...hooks, when: 'they refuse', ...closed, decision: 'retry' },
    { ...hooks, when: 'they refuse for the last time', ...closed, release: { failedChecks: 2 }, decision: 'rollBack' },
    { ...hooks, when: 'they have passed before a restart', event: 'RESUME', release: { preRolloutPassed: true }, decision: 'askTraffic' },
    { ...gate, when: 'it is closed', ...closed, decision: 'hold' },
    { ...gate, when: 'it is closed, however often', ...closed, release: { failedChecks: 2 }, decision: 'hold' },
  ]);
});

describe('E62, E102: decisions while the canary is raised', () => {
  const capacity = { side: 'target' as const, pods: 2 };
  const reached = { ...capacity, reachedMs: nowMs - drainMs };
  const less = { side: 'target' as const, pods: 8 };
  const patient = { stepStartedMs: nowMs - deadlineMs / 2 };
  const raising = (capacityNow: object, more: object = {}) => ({
    ...step('raising'),
    facts: { scaler },
    release: { capacity: capacityNow as typeof reached, ...more },
  });
  itDecides([
    { ...raising(capacity), when: 'the pods are there', decision: 'noteReached' },
    { ...raising(reached), when: 'proxies had their time', decision: 'step' },
    { ...raising({ ...capacity, reachedMs: nowMs }), when: 'they had not', decision: 'wait' },
    { ...raising({ ...less, reachedMs: nowMs }), when: 'pods were lost again', decision: 'noteLost' },
    { ...raising(less), when: 'pods are missing', decision: 'wait' },
    { ...raising(less), when: 'a wake came before the deadline', due: true, decision: 'extend' },
    { ...raising(less, patient), when: 'the scaler gives less', decision: 'step' },
    { ...raising(less, patient), when: 'it gives less, and the primary is not ready', primary: short, decision: 'wait' },
    { ...raising(less, { ...patient, ...paused }), when: 'it gives less while paused', decision: 'wait' },
    { ...raising(less, late), when: 'it asks for them, and they do not come in time', target: { replicas: 8 }, decision: 'rollBack' },
    { ...raising(reached, late), when: 'they are there at the deadline', decision: 'step' },
    { ...raising(reached), when: 'the primary is not ready', primary: short, decision: 'wait' },
    { ...raising(reached, paused), when: 'it is paused', decision: 'wait' },
    { ...raising(reached), when: 'the spec is refused', facts: { scaler, ...refused }, decision: 'wait' },
    { ...raising(reached), when: 'the routes can hold no share', facts: { scaler, ...unroutable }, decision: 'wait' },
    { ...raising(reached), when: 'the canary is down with traffic', target: down, decision: 'withdrawTraffic' },
    {
      ...raising(reached, { ...noTraffic, iterations: 1 }),
      when: 'it is down between iterations',
      target: down,
      decision: 'withdrawTraffic',
    },
    { ...raising(reached, noTraffic), when: 'it is down before its first traffic', target: down, decision: 'fallBack' },
  ]);
});
