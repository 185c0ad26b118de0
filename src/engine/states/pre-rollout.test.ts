import { describe } from 'vitest';
import {
  type DecisionCase,
  decides,
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
    decides(at, 'passed', 'step', passed),
    decides(at, 'passed, and the step needs more pods', 'raise', { ...passed, ...tooFew }),
    decides(at, 'the canary is down', 'fallBack', { target: down, ...passed }),
    decides(at, 'it is below its threshold when the next poll is due', 'fallBack', { target: short, due: true }),
    decides(at, 'the next poll is due', 'repeat', { due: true }),
    decides(at, 'it is due while paused', 'wait', { release: paused, due: true }),
    decides(at, 'the rollback hooks are asked first (E82)', 'wait', { hooks: ['rollback'], due: true }),
  ]);
  const held = [
    { when: 'the spec is refused', facts: refused },
    { when: 'the routes are not in force', facts: unconfirmed },
    { when: 'the routes can hold no share', facts: unroutable },
    { when: 'the primary is not ready', primary: short },
    { when: 'the canary is below its threshold', target: short },
  ].flatMap(({ when, ...how }): DecisionCase[] => [
    decides(hooks, `passed, and ${when}`, 'awaitPods', { ...passed, ...how }),
    decides(hooks, `passed with a gate, and ${when}`, 'confirmTraffic', {
      hooks: ['pre-rollout', 'confirm-traffic-increase'],
      ...passed,
      ...how,
    }),
    decides(gate, `passed, and ${when}`, 'fallBack', { ...passed, ...how }),
  ]);
  itDecides([
    ...after,
    ...held,
    decides(hooks, 'they refuse', 'retry', closed),
    decides(hooks, 'they refuse for the last time', 'rollBack', { ...closed, release: { failedChecks: 2 } }),
    decides(hooks, 'they have passed before a restart', 'confirmTraffic', { event: 'RESUME', release: { preRolloutPassed: true } }),
    decides(gate, 'it is closed', 'hold', closed),
    decides(gate, 'it is closed, however often', 'hold', { ...closed, release: { failedChecks: 2 } }),
  ]);
});
