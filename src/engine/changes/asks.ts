import type { HookType } from '../../api/canary.ts';
import type { Seen } from '../context.ts';
import { progressDeadlineMs } from '../deadlines.ts';
import { isPaused } from '../guards.ts';
import { ask, type Change, now } from './change.ts';

/** What a step asks of the world when it is entered, and when it wants to be woken. */
export const asks = {
  askConfirmRollout: hookAsk('confirm-rollout'),
  askPreRollout: hookAsk('pre-rollout'),
  askConfirmTraffic: hookAsk('confirm-traffic-increase'),
  askConfirmPromotion: hookAsk('confirm-promotion'),
  askRollout: hookAsk('rollout'),
  askRollback: hookAsk('rollback'),
  askMeasure: (seen: Seen) => ask(seen, { kind: 'measure' }),
  askPromote: (seen: Seen) => ask(seen, { kind: 'promote', revision: seen.context.release.revision }),
  askRestore: (seen: Seen) => {
    const revision = seen.context.release.promotedRevision;
    return revision === undefined ? {} : ask(seen, { kind: 'restorePrimary', revision });
  },

  wakeAtDeadline: (seen: Seen) => ({ wakeAtMs: seen.context.release.stepStartedMs + progressDeadlineMs(seen.event.facts.canary) }),
  wakeAfterDrain: (seen: Seen) => ({ wakeAtMs: seen.context.release.stepStartedMs + seen.event.facts.scaleDownDelayMs }),
  wakeAtCheck: (seen: Seen) => ({ wakeAtMs: seen.context.release.wakeAtMs ?? now(seen) }),
  wakeNextInterval: (seen: Seen) => ({ wakeAtMs: now(seen) + seen.event.facts.intervalMs }),
  wakeNextShift: (seen: Seen) => ({ wakeAtMs: seen.context.release.stepStartedMs + seen.event.facts.intervalMs }),
  wakeAfterRaise: (seen: Seen) => ({ wakeAtMs: seen.context.release.stepStartedMs + Math.min(seen.event.facts.intervalMs, 30_000) }),

  closeQuestion: () => ({ open: undefined }),
  /** Asked again: until it is answered nothing is due, or every event would ask once more and drop the answer under way. */
  forgetWake: () => ({ wakeAtMs: undefined }),
};

function hookAsk(type: HookType) {
  return (seen: Seen): Change => (isPaused(seen) ? {} : ask(seen, { kind: 'runHooks', type, phase: seen.context.recorded?.phase ?? '' }));
}
