import { isLastFailure } from '../conditions/failed-checks.ts';
import { isGateOver, isTrafficGated } from '../conditions/gates.ts';
import { isTargetReady, mayAdvance } from '../conditions/sides.ts';
import { isDueToAsk } from '../conditions/time.ts';
import { gateUntilMs } from '../gate-limit.ts';
import type { Standing, Waits } from '../wait.ts';
import { waiting } from './interruptions.ts';
import { analyse, anew, on, raise, stay, takeStep } from './moves.ts';
import { fallBackIfDown, stepOrRaise } from './shared-deciders.ts';
import { sayingOfHooks, since, why } from './standing.ts';
import { type Decider, hasOutcome, neverDue } from './state.ts';
import { failures, gateLimit, letsPass, opensGate } from './words.ts';

const asked: Decider<'repeat' | 'fallBack'> = (input) => {
  if (!isDueToAsk(input)) return undefined;
  return isTargetReady(input) ? 'repeat' : 'fallBack';
};

/** Hooks before the first traffic (E8). A restart begins the step again, at its gate if the hooks have passed: each call is a separate test. */
export const preRolloutHooks = waiting({
  polls: true,
  enter: ['askPreRollout'],
  decide: {
    first: fallBackIfDown,
    facts: (input) => (input.context.release.preRolloutPassed === true ? 'confirmTraffic' : asked(input)),
    answer(input) {
      if (hasOutcome(input, 'refused')) return isLastFailure(input) ? 'rollBack' : 'retry';
      if (hasOutcome(input, 'passed') && isTrafficGated(input)) return 'confirmTraffic';
      return hasOutcome(input, 'passed') && mayAdvance(input) ? stepOrRaise(input) : 'awaitPods';
    },
  },
  moves: {
    fallBack: anew(),
    repeat: on('Progressing.preRollout.hooks', 'forgetWake'),
    retry: stay('countFailure', 'wakeNextInterval'),
    confirmTraffic: on('Progressing.preRollout.gate', 'passPreRollout'),
    raise: raise('passPreRollout'),
    step: analyse('Progressing', 'passPreRollout', 'takeStep'),
    awaitPods: anew('passPreRollout'),
  },
  awaits: ['hooks'],
  waits: beforeTraffic,
  dueMs: neverDue,
});

/** The gate before the first traffic (E81). */
export const preRolloutGate = waiting({
  polls: true,
  enter: ['askConfirmTraffic'],
  decide: {
    first: fallBackIfDown,
    facts: asked,
    answer(input) {
      if (hasOutcome(input, 'refused')) return isGateOver(input) ? 'rollBack' : 'hold';
      return hasOutcome(input, 'passed') && mayAdvance(input) ? stepOrRaise(input) : 'fallBack';
    },
  },
  moves: {
    fallBack: anew(),
    repeat: on('Progressing.preRollout.gate', 'forgetWake'),
    hold: stay('poll'),
    raise: raise(),
    step: takeStep,
  },
  awaits: ['hooks'],
  waits: beforeTraffic,
  dueMs: ({ canary, release }) => gateUntilMs(canary, release),
});

function beforeTraffic(standing: Standing): Waits {
  const { release, canary } = standing;
  return sayingOfHooks(
    release.preRolloutPassed || release.refusedBy?.type === 'confirm-traffic-increase'
      ? `Waiting ${since(standing)} for the confirm-traffic-increase hooks before the first step, ${gateLimit(standing)}. ${opensGate(standing)}${why(standing)}.`
      : `Waiting ${since(standing)} for the pre-rollout hooks to pass. They are called every ${canary.spec.analysis.interval}${failures(standing)}; ${letsPass(standing)}${why(standing)}.`,
  );
}
