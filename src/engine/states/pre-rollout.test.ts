import { describe } from 'vitest';
import {
  type DecisionCase,
  down,
  itDecides,
  paused,
  refused,
  scaler,
  short,
  unconfirmed,
  unroutable,
} from '../../../test/fakes/deciding.ts';

/** The next step needs two pods of the three that carry the load: the canary has one. */
const tooFew = {
  facts: { scaler },
  target: { readiness: { state: 'ready' as const, ready: 1, wanted: 1 }, replicas: 1 },
  analysis: { stepWeight: 60 },
  primary: { readiness: { state: 'ready' as const, ready: 3, wanted: 3 } },
};
const passed = { event: { answer: 'passed' } } satisfies Partial<DecisionCase>;
const closed = { event: { answer: 'refused' } } satisfies Partial<DecisionCase>;

describe('E8, E81: decisions of the pre-rollout hooks and their gate', () => {
  const hooks = { state: 'Progressing.preRollout.hooks' };
  const gate = { state: 'Progressing.preRollout.gate' };
  const after: DecisionCase[] = [hooks, gate].flatMap((at) => [
    { ...at, when: 'passed', ...passed, decision: 'step' },
    { ...at, when: 'passed, and the step needs more pods', ...passed, ...tooFew, decision: 'raise' },
    { ...at, when: 'the canary is down', target: down, ...passed, decision: 'fallBack' },
    { ...at, when: 'it is below its threshold when the next poll is due', target: short, due: true, decision: 'fallBack' },
    { ...at, when: 'the next poll is due', due: true, decision: 'repeat' },
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
      decision: 'confirmTraffic',
    },
    { ...gate, when: `passed, and ${when}`, ...passed, ...how, decision: 'fallBack' },
  ]);
  itDecides([
    ...after,
    ...held,
    { ...hooks, when: 'they refuse', ...closed, decision: 'retry' },
    { ...hooks, when: 'they refuse for the last time', ...closed, release: { failedChecks: 2 }, decision: 'rollBack' },
    {
      ...hooks,
      when: 'they have passed before a restart',
      event: 'RESUME',
      release: { preRolloutPassed: true },
      decision: 'confirmTraffic',
    },
    { ...gate, when: 'it is closed', ...closed, decision: 'hold' },
    { ...gate, when: 'it is closed, however often', ...closed, release: { failedChecks: 2 }, decision: 'hold' },
  ]);
});
