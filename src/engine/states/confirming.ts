import { isGateOver } from '../conditions/gates.ts';
import { isRefused } from '../conditions/hold-ups.ts';
import { isBack, isNew } from '../conditions/revision.ts';
import { isDueToAsk } from '../conditions/time.ts';
import { gateUntilMs } from '../gate-limit.ts';
import { pauseOrResume as holding } from './interruptions.ts';
import { confirm, go, next, pausing, type Rest, rollBack, stay, toRest } from './moves.ts';
import { startOf } from './resting.ts';
import { sayingOfHooks, since, why } from './standing.ts';
import { asksTo, type Decider, hasOutcome, neverDue, type State, state } from './state.ts';
import { gateLimit, opensGate } from './words.ts';

/** Another revision while the gate is called for this one (E7). */
const replaced: Decider<'noteReturn' | 'pin'> = (input) => {
  if (isBack(input)) return 'noteReturn';
  return isNew(input) ? 'pin' : undefined;
};

/** Under a refused spec an open gate starts nothing (E65). */
const confirmed: Decider<'hold' | 'startAfterRecycling' | 'start' | 'rollBack'> = (input) => {
  if (hasOutcome(input, 'passed')) return isRefused(input) ? 'hold' : startOf(input);
  if (!hasOutcome(input, 'refused')) return undefined;
  return isGateOver(input) ? 'rollBack' : 'hold';
};

/** A user answers in place of the gate (E72, E73). */
const approved: Decider<'startAfterRecycling' | 'start' | 'rollBack'> = (input) => {
  if (asksTo(input, 'promote')) return startOf(input);
  return asksTo(input, 'rollback') ? 'rollBack' : undefined;
};

/** The confirm-rollout hooks decide if a new revision may start (E7). */
export const confirmingIn = (phase: Rest): State =>
  state({
    isIdle: true,
    awaitsApproval: true,
    stands: 'the confirm-rollout hooks of its next release are being called',
    enter: ['askConfirmRollout'],
    decide: { first: replaced, answer: confirmed, request: approved },
    moves: {
      noteReturn: toRest(phase, 'noteReturn'),
      pin: confirm(phase),
      ...next,
      hold: go('Waiting.gate', 'poll'),
      rollBack,
    },
    awaits: ['hooks'],
    waits: (standing) =>
      sayingOfHooks(
        `Found a new revision of ${standing.canary.spec.targetRef.name}. Calling the confirm-rollout hooks ${since(standing)}.`,
      ),
    dueMs: neverDue,
  });

/** The hooks have refused, and are called again: a hook that has just refused after one interval. */
export const gate = state({
  isIdle: true,
  awaitsApproval: true,
  enter: ['askGateUnlessPolled'],
  decide: {
    first: replaced,
    facts: (input) => (isDueToAsk(input) ? 'repeat' : undefined),
    answer: confirmed,
    request: (input) => approved(input) ?? holding(input),
  },
  moves: {
    ...pausing,
    noteReturn: toRest('Succeeded', 'noteReturn'),
    pin: go('Waiting.gate', 'pin'),
    repeat: { target: 'Waiting.gate', reenter: true, actions: ['forgetWake'] },
    ...next,
    hold: stay('poll'),
    rollBack,
  },
  awaits: ['hooks'],
  waits: (standing) =>
    sayingOfHooks(
      `Waiting ${since(standing)} for the confirm-rollout hooks, ${gateLimit(standing)}. ${opensGate(standing)}${why(standing)}.`,
    ),
  dueMs: ({ canary, release }) => gateUntilMs(canary, release),
});
