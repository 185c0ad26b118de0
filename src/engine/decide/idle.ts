import { isRefused } from '../conditions/hold-ups.ts';
import { hasReadConfigs, isBack, isNew } from '../conditions/revision.ts';
import { isDueToAsk } from '../conditions/time.ts';
import type { Input } from '../context.ts';
import { hasHooks } from '../strategy.ts';
import { asksTo, type Decider, type Deciders, hasOutcome } from './decider.ts';
import { pausing } from './interruptions.ts';

const start = (input: Input) => (hasReadConfigs(input) ? 'startAfterRecycling' : 'start');
const isGated = ({ event }: Input) => hasHooks(event.facts.canary, 'confirm-rollout');

const look: Decider = (input) => {
  if (isRefused(input)) return undefined;
  if (isNew(input)) return isGated(input) ? 'pin' : start(input);
  return isBack(input) ? 'noteReturn' : undefined;
};

/** Another revision while the gate is asked about this one (E7). */
const replaced: Decider = (input) => {
  if (isBack(input)) return 'noteReturn';
  return isNew(input) ? 'pin' : undefined;
};

const confirmed: Decider = (input) => {
  if (hasOutcome(input, 'passed')) return isRefused(input) ? 'hold' : start(input);
  return hasOutcome(input, 'refused') ? 'hold' : undefined;
};

/** The gate is answered by a user in its place. */
const approved: Decider = (input) => {
  if (asksTo(input, 'promote')) return start(input);
  return asksTo(input, 'rollback') ? 'rollBack' : undefined;
};

const answered: Decider = (input) => (hasOutcome(input, 'written') || hasOutcome(input, 'refused') ? 'advance' : undefined);

const restart: Decider = (input) => (asksTo(input, 'restart') ? 'restart' : undefined);

/** No release is in progress, and one may start. */
export const idle = {
  resting: { look, request: restart },
  restingSucceeded: { look, request: (input) => (asksTo(input, 'undo') ? 'undo' : restart(input)) },
  /** The failed revision once more, as if it were new (E75). */
  restingFailed: {
    look,
    request(input) {
      if (!asksTo(input, 'retry')) return restart(input);
      return isGated(input) ? 'pin' : start(input);
    },
  },
  confirming: { first: replaced, answer: confirmed, request: approved },
  gate: {
    first: replaced,
    look: (input) => (isDueToAsk(input) ? 'askAgain' : undefined),
    answer: confirmed,
    request: (input) => approved(input) ?? pausing(input),
  },
  /** No look before the answer: a target that changes meanwhile may be our own doing (E74). */
  undoing: { answer: answered },
  restarting: { answer: answered },
} satisfies Record<string, Deciders>;
