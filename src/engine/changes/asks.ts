import type { HookType } from '../../api/canary.ts';
import type { Seen } from '../context.ts';
import { progressDeadlineMs, rolloutDeadlineMs, scalerPatienceMs } from '../deadlines.ts';
import { isPaused, isUnproved } from '../guards.ts';
import { ask, type Change, now } from './change.ts';

/** What a step asks of the world when it is entered, and when it wants to be woken. */
export const asks = {
  askConfirmRollout: hookAsk('confirm-rollout'),
  askGateUnlessPolled: (seen: Seen) => (seen.context.wakeAtMs === undefined ? hookAsk('confirm-rollout')(seen) : {}),
  askPreRollout: hookAsk('pre-rollout'),
  askConfirmTraffic: hookAsk('confirm-traffic-increase'),
  askConfirmPromotion: hookAsk('confirm-promotion'),
  askRollout: hookAsk('rollout'),
  askMeasure: (seen: Seen) => ask(seen, { kind: 'measure' }),
  /** Not while the canary is below its threshold, unless the primary holds the revision already (E80). */
  askPromote: (seen: Seen) =>
    isUnproved(seen) ? { wakeAtMs: now(seen) } : ask(seen, { kind: 'promote', revision: seen.context.release.revision }),
  askRestore: (seen: Seen) => {
    const revision = seen.context.release.promotedRevision;
    return revision === undefined ? {} : ask(seen, { kind: 'restorePrimary', revision });
  },

  wakeAtDeadline: (seen: Seen) => ({ wakeAtMs: seen.context.release.stepStartedMs + progressDeadlineMs(seen.event.facts.canary) }),
  /** When a scaler has had its time (E102), then at the deadline. */
  wakeInRaise: (seen: Seen) => {
    const { stepStartedMs } = seen.context.release;
    const { canary, nowMs } = seen.event.facts;
    const patientMs = stepStartedMs + scalerPatienceMs(canary);
    return { wakeAtMs: nowMs < patientMs ? patientMs : stepStartedMs + progressDeadlineMs(canary) };
  },
  wakeForTarget: (seen: Seen) => rolloutWake(seen, 'target'),
  wakeForPrimary: (seen: Seen) => rolloutWake(seen, 'primary'),
  wakeAfterDrain: (seen: Seen) => ({ wakeAtMs: seen.context.release.stepStartedMs + seen.event.facts.scaleDownDelayMs }),
  wakeAtCheck: (seen: Seen) => ({ wakeAtMs: seen.context.release.wakeAtMs ?? now(seen) }),
  wakeNextInterval: (seen: Seen) => ({ wakeAtMs: now(seen) + seen.event.facts.intervalMs }),
  wakeNextShift: (seen: Seen) => ({ wakeAtMs: seen.context.release.stepStartedMs + seen.event.facts.intervalMs }),
  wakeAfterRaise: (seen: Seen) => ({ wakeAtMs: seen.context.release.stepStartedMs + Math.min(seen.event.facts.intervalMs, 30_000) }),

  closeQuestion: () => ({ open: undefined }),
  /** Asked again: until it is answered nothing is due, or every event would ask once more and drop the answer under way. */
  forgetWake: () => ({ wakeAtMs: undefined }),
};

/** A rollout that has gone on since the step's own wake has until then (E100). */
function rolloutWake({ context, event: { facts } }: Seen, side: 'primary' | 'target'): Change {
  return { wakeAtMs: rolloutDeadlineMs(facts.canary, context.release.stepStartedMs, facts[side]) };
}

function hookAsk(type: HookType) {
  return (seen: Seen): Change => (isPaused(seen) ? {} : ask(seen, { kind: 'runHooks', type, phase: '', checksum: '' }));
}
