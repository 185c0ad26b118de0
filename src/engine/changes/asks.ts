import type { HookType } from '../../api/canary.ts';
import { isGate } from '../comparison/compared-metrics.ts';
import { toCompare } from '../comparison/compared-so-far.ts';
import { isPaused } from '../conditions/hold-ups.ts';
import { isUnproved } from '../conditions/sides.ts';
import type { Input } from '../context.ts';
import { progressDeadlineMs, rolloutDeadlineMs, scalerPatienceMs } from '../deadlines.ts';
import { type ContextPatch, now, putQuestion } from './change.ts';

/** Queries and calls of a step at its start, and its wake time. */
export const asks = {
  askConfirmRollout: hookAsk('confirm-rollout'),
  askGateUnlessPolled: (input: Input) => (input.context.wakeAtMs === undefined ? hookAsk('confirm-rollout')(input) : {}),
  askPreRollout: hookAsk('pre-rollout'),
  askConfirmTraffic: hookAsk('confirm-traffic-increase'),
  askConfirmPromotion: hookAsk('confirm-promotion'),
  askRollout: hookAsk('rollout'),
  /** A gate waits for the counts; shadow mode reads them beside its checks (E121). */
  askMeasure: (input: Input) => {
    const { facts } = input.event;
    const compare = isGate(facts.canary.spec.analysis) ? toCompare(input.context.release, facts) : [];
    return putQuestion(input, { kind: 'measure', ...(compare.length > 0 && { compare }) });
  },
  /** Not done while the canary is below its threshold, unless the primary has the revision already (E80). */
  askPromote: (input: Input) =>
    isUnproved(input) ? { wakeAtMs: now(input) } : putQuestion(input, { kind: 'promote', revision: input.context.release.revision }),
  askRestore: (input: Input) => {
    const revision = input.context.release.promotedRevision;
    return revision === undefined ? {} : putQuestion(input, { kind: 'restorePrimary', revision });
  },

  wakeAtDeadline: (input: Input) => ({ wakeAtMs: input.context.release.stepStartedMs + progressDeadlineMs(input.event.facts.canary) }),
  /** Wakes at the end of a scaler's time (E102), then at the deadline. */
  wakeInRaise: (input: Input) => {
    const { stepStartedMs } = input.context.release;
    const { canary, nowMs } = input.event.facts;
    const patientMs = stepStartedMs + scalerPatienceMs(canary);
    return { wakeAtMs: nowMs < patientMs ? patientMs : stepStartedMs + progressDeadlineMs(canary) };
  },
  wakeForTarget: (input: Input) => rolloutWake(input, 'target'),
  wakeForPrimary: (input: Input) => rolloutWake(input, 'primary'),
  wakeAfterDrain: (input: Input) => ({ wakeAtMs: input.context.release.stepStartedMs + input.event.facts.scaleDownDelayMs }),
  wakeAtCheck: (input: Input) => ({ wakeAtMs: input.context.release.wakeAtMs ?? now(input) }),
  wakeNextInterval: (input: Input) => ({ wakeAtMs: now(input) + input.event.facts.intervalMs }),
  wakeNextShift: (input: Input) => ({ wakeAtMs: input.context.release.stepStartedMs + input.event.facts.intervalMs }),
  wakeAfterRaise: (input: Input) => ({ wakeAtMs: input.context.release.stepStartedMs + Math.min(input.event.facts.intervalMs, 30_000) }),

  closeQuestion: () => ({ open: undefined }),
  /** The query is repeated: until its answer nothing is due, or every event would repeat it once more and drop the pending answer. */
  forgetWake: () => ({ wakeAtMs: undefined }),
};

/** A rollout that has progressed since the step's own wake has until then (E100). */
function rolloutWake({ context, event: { facts } }: Input, side: 'primary' | 'target'): ContextPatch {
  return { wakeAtMs: rolloutDeadlineMs(facts.canary, context.release.stepStartedMs, facts[side]) };
}

function hookAsk(type: HookType) {
  return (input: Input): ContextPatch =>
    isPaused(input) ? {} : putQuestion(input, { kind: 'runHooks', type, phase: '', checksum: '', key: '' });
}
