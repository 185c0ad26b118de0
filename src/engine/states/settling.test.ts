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
  weighted,
} from '../../../test/fakes/deciding.ts';

const state = 'Progressing.settling';
const noTraffic = { routes: weighted(0) };
const off = { release: noTraffic };
/** The next step needs two pods of the three that carry the load: the canary has one. */
const tooFew = {
  facts: { scaler },
  target: { readiness: { state: 'ready' as const, ready: 1, wanted: 1 }, replicas: 1 },
  analysis: { stepWeight: 60 },
  primary: { readiness: { state: 'ready' as const, ready: 3, wanted: 3 } },
};
const traffic = { hooks: ['confirm-traffic-increase'] } satisfies Partial<DecisionCase>;
const preRollout = { hooks: ['pre-rollout'] } satisfies Partial<DecisionCase>;

describe('E6a, E8, E80, E81: decisions while proxies learn of the pods', () => {
  itDecides([
    decides(state, 'the pause for proxies is not over', 'wait', off),
    decides(state, 'it is over', 'step', { ...off, due: true }),
    decides(state, 'it is over, and the next step needs more pods', 'raise', { ...off, due: true, ...tooFew }),
    decides(state, 'it is over, and the hooks are to be called', 'callHooks', { ...off, due: true, ...preRollout, ...tooFew }),
    decides(state, 'the hooks are to be called, whatever the primary does', 'callHooks', {
      ...off,
      due: true,
      ...preRollout,
      primary: down,
    }),
    decides(state, 'the hooks have passed', 'step', { release: { ...noTraffic, preRolloutPassed: true }, due: true, ...preRollout }),
    decides(state, 'the gate is to be asked', 'confirmTraffic', { ...off, due: true, ...traffic, ...tooFew }),
    decides(state, 'the gate is not for iterations', 'step', { ...off, due: true, ...traffic, analysis: { iterations: 2 } }),
    decides(state, 'the primary is not ready (E80)', 'wait', { ...off, due: true, primary: short }),
    decides(state, 'the primary is not ready, with a gate', 'wait', { ...off, due: true, ...traffic, primary: short }),
    decides(state, 'the routes are not in force (E63)', 'wait', { ...off, due: true, facts: unconfirmed }),
    decides(state, 'the spec is refused', 'wait', { ...off, due: true, facts: refused, ...preRollout }),
    decides(state, 'the routes can hold no share', 'wait', { ...off, due: true, facts: unroutable, ...preRollout }),
    decides(state, 'it is paused', 'wait', { release: { ...noTraffic, ...paused }, due: true, ...preRollout }),
    decides(state, 'the canary is below its threshold', 'fallBack', { ...off, due: true, target: short }),
    decides(state, 'it is below while paused', 'wait', { release: { ...noTraffic, ...paused }, due: true, target: short }),
    decides(state, 'it is below before the pause is over', 'wait', { ...off, target: short }),
    decides(state, 'it is down', 'fallBack', { ...off, target: down }),
  ]);
});
