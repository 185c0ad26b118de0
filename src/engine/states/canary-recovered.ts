import { isTargetDown } from '../conditions/sides.ts';
import { hasDrained } from '../conditions/time.ts';
import { primaryNotReady } from './awaited-side.ts';
import { hasRegainedPods, isShortToRecover, late } from './canary-unavailable.ts';
import { waiting } from './interruptions.ts';
import { type Analysing, analyse, stay, withdraw } from './moves.ts';
import { drained, drainedMs, isDrainHeld, saying } from './standing.ts';
import type { State } from './state.ts';
import { primaryAwaited } from './words.ts';

/** New pods again: the same pause as before the first traffic (E6a), then the share that it had (E27). */
export const canaryRecovered = (phase: Analysing): State =>
  waiting({
    enter: ['wakeAfterDrain'],
    decide: {
      first: (input) => (isTargetDown(input) ? 'fallBack' : undefined),
      facts(input) {
        if (isShortToRecover(input)) return 'raise';
        return (hasDrained(input) && hasRegainedPods(input) ? 'advance' : undefined) ?? late(input);
      },
    },
    moves: {
      fallBack: withdraw(phase, 'resumeClock'),
      raise: stay('raiseToRecover'),
      advance: analyse(phase, 'restoreTraffic'),
      extend: stay('wakeInRaise'),
    },
    awaits: ['servingPrimary', 'itself'],
    waits: (standing, dueMs) =>
      saying(
        primaryAwaited(standing) ?? `The canary has recovered. It gets traffic at ${drained(standing)}, when the proxies know its pods.`,
        primaryNotReady(standing, dueMs),
      ),
    dueMs: (standing) => (isDrainHeld(standing) ? undefined : drainedMs(standing)),
  });
