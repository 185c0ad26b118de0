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
    { state, when: 'the pause for proxies is not over', ...off, decision: 'wait' },
    { state, when: 'it is over', ...off, due: true, decision: 'step' },
    { state, when: 'it is over, and the next step needs more pods', ...off, due: true, ...tooFew, decision: 'raise' },
    {
      state,
      when: 'it is over, and the hooks are to be called',
      ...off,
      due: true,
      ...preRollout,
      ...tooFew,
      decision: 'callHooks',
    },
    {
      state,
      when: 'the hooks are to be called, whatever the primary does',
      ...off,
      due: true,
      ...preRollout,
      primary: down,
      decision: 'callHooks',
    },
    {
      state,
      when: 'the hooks have passed',
      release: { ...noTraffic, preRolloutPassed: true },
      due: true,
      ...preRollout,
      decision: 'step',
    },
    { state, when: 'the gate is to be asked', ...off, due: true, ...traffic, ...tooFew, decision: 'confirmTraffic' },
    {
      state,
      when: 'the gate is not for iterations',
      ...off,
      due: true,
      ...traffic,
      analysis: { iterations: 2 },
      decision: 'step',
    },
    { state, when: 'the primary is not ready (E80)', ...off, due: true, primary: short, decision: 'wait' },
    { state, when: 'the primary is not ready, with a gate', ...off, due: true, ...traffic, primary: short, decision: 'wait' },
    { state, when: 'the routes are not in force (E63)', ...off, due: true, facts: unconfirmed, decision: 'wait' },
    { state, when: 'the spec is refused', ...off, due: true, facts: refused, ...preRollout, decision: 'wait' },
    { state, when: 'the routes can hold no share', ...off, due: true, facts: unroutable, ...preRollout, decision: 'wait' },
    { state, when: 'it is paused', release: { ...noTraffic, ...paused }, due: true, ...preRollout, decision: 'wait' },
    { state, when: 'the canary is below its threshold', ...off, due: true, target: short, decision: 'fallBack' },
    {
      state,
      when: 'it is below while paused',
      release: { ...noTraffic, ...paused },
      due: true,
      target: short,
      decision: 'wait',
    },
    { state, when: 'it is below before the pause is over', ...off, target: short, decision: 'wait' },
    { state, when: 'it is down', ...off, target: down, decision: 'fallBack' },
  ]);
});
