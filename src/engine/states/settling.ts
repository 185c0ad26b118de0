import { hasPreRollout, isTrafficGated } from '../conditions/gates.ts';
import { isPaused } from '../conditions/hold-ups.ts';
import { hasSettled, isTargetReady, mayAdvance } from '../conditions/sides.ts';
import { isDue } from '../conditions/time.ts';
import { primaryNotReady } from './awaited-side.ts';
import { waiting } from './interruptions.ts';
import { analyse, anew, askBeforeTraffic, askGateBeforeTraffic, raise } from './moves.ts';
import { fallBackIfDown, stepOrRaise } from './shared-deciders.ts';
import { drained, drainedMs, isDrainHeld, saying } from './standing.ts';
import { primaryAwaited } from './words.ts';

/**
 * Proxies learn of new pods as late as of new routes: immediate traffic would find no endpoint (E6a, I10). Next are the pre-rollout hooks (E8), or, with both
 * sides ready (E80), the gate (E81) and the first step, for which the canary could need more pods (E60).
 */
export const settling = waiting({
  enter: ['wakeAfterDrain'],
  decide: {
    first: fallBackIfDown,
    facts(input) {
      const { preRolloutPassed } = input.context.release;
      if (hasSettled(input) && hasPreRollout(input) && !preRolloutPassed) return 'callHooks';
      // The answer of the gate is only of use if a step can follow.
      if (hasSettled(input) && mayAdvance(input)) return isTrafficGated(input) ? 'confirmTraffic' : stepOrRaise(input);
      return isDue(input) && !isPaused(input) && !isTargetReady(input) ? 'fallBack' : undefined;
    },
  },
  moves: {
    fallBack: anew('resumeClock'),
    callHooks: askBeforeTraffic,
    confirmTraffic: askGateBeforeTraffic,
    raise: raise('isolate'),
    step: analyse('Progressing', 'isolate', 'takeStep'),
  },
  awaits: ['servingPrimary', 'itself'],
  waits: (standing, dueMs) =>
    saying(
      primaryAwaited(standing) ?? `The canary is ready. It gets traffic at ${drained(standing)}, when the proxies know its pods.`,
      primaryNotReady(standing, dueMs),
    ),
  dueMs(standing) {
    const { refused, unroutable } = standing.facts;
    // No traffic begins under a spec that is refused (rule E65), or by routes that cannot express a weight (rule E96).
    return isDrainHeld(standing) || refused !== undefined || unroutable !== undefined ? undefined : drainedMs(standing);
  },
});
