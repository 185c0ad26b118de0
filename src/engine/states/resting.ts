import { blockerText } from '../../api/blocker-text.ts';
import { LONGEST_WAIT_MS } from '../../api/verb-request.ts';
import { isStartGated } from '../conditions/gates.ts';
import { isRefused } from '../conditions/hold-ups.ts';
import { hasReadConfigs, isBack, isNew } from '../conditions/revision.ts';
import type { Input } from '../context.ts';
import type { Facts } from '../facts.ts';
import type { Standing, Wait } from '../wait.ts';
import { blockedTarget, primaryDown } from './awaited-side.ts';
import { confirm, go, next, type Rest, stay } from './moves.ts';
import { saying } from './standing.ts';
import { asksTo, type Decider, neverDue, type State, state } from './state.ts';
import { ended, lacks, missing, startsAgain } from './words.ts';

/** A new revision starts; old pods are recycled first if they have read other configs (E2, E56). */
export const startOf = (input: Input): 'startAfterRecycling' | 'start' => (hasReadConfigs(input) ? 'startAfterRecycling' : 'start');

/** Under a spec that is refused nothing starts (E65). */
const startIfNew: Decider<'pin' | 'startAfterRecycling' | 'start' | 'noteReturn'> = (input) => {
  if (isRefused(input)) return undefined;
  if (isNew(input)) return isStartGated(input) ? 'pin' : startOf(input);
  return isBack(input) ? 'noteReturn' : undefined;
};

const startAgain: Decider<'pin' | 'startAfterRecycling' | 'start'> = (input) => (isStartGated(input) ? 'pin' : startOf(input));

/** A retry that was requested while the release was being rolled back (E75). */
const notedRetry: Decider<'pin' | 'startAfterRecycling' | 'start'> = (input) => {
  const { release } = input.context;
  const { nowMs, target } = input.event.facts;
  const isDue = release.retry !== undefined && nowMs - release.retry.atMs <= LONGEST_WAIT_MS;
  if (!isDue || isRefused(input) || target?.undetermined !== undefined) return undefined;
  return target?.revision === release.revision ? startAgain(input) : undefined;
};

/** Requests by verb (E74, E134). */
const restart: Decider<'restart'> = (input) => (asksTo(input, 'restart') ? 'restart' : undefined);

const movesOf = (phase: Rest) => ({
  restart: go(`${phase}.restarting`, 'beginRestart'),
  pin: confirm(phase),
  ...next,
  noteReturn: stay('noteReturn'),
});
const rest = { isIdle: true, enter: [], awaits: ['servingPrimary', 'revision'], waits: atRest, dueMs: neverDue } satisfies Partial<State>;

/** No release is in progress, and one may start: the first primary serves. */
export const restingInitialized = state({ ...rest, decide: { facts: startIfNew, request: restart }, moves: movesOf('Initialized') });

/** The same after a release that succeeded or was cancelled. */
export const restingSucceeded = state({
  ...rest,
  stands: 'its last release has succeeded',
  decide: { facts: startIfNew, request: (input) => (asksTo(input, 'undo') ? 'undo' : restart(input)) },
  moves: { undo: go('Succeeded.undoing', 'beginUndo'), ...movesOf('Succeeded') },
});

/** After a release that has failed. The failed revision can be released once more, as if it were new (E75). */
export const restingFailed = state({
  ...rest,
  stands: 'its last release has failed',
  decide: {
    facts: (input) => startIfNew(input) ?? notedRetry(input),
    request: (input) => (asksTo(input, 'retry') ? startAgain(input) : restart(input)),
  },
  moves: movesOf('Failed'),
  awaits: ['correction'],
  waits(standing) {
    return saying(
      `${ended(standing)}: ${primaryServes(standing.facts)}; ${startsAgain(standing)}.`,
      primaryDown(standing) ?? { code: 'Failed' },
    );
  },
});

function atRest(standing: Standing) {
  return saying(
    `${ended(standing)}: ${idle(standing)}.`,
    unobserved(standing) ?? primaryDown(standing) ?? { code: 'Resting' },
    unobserved(standing) && primaryDown(standing),
  );
}

/** Words of an idle Canary stay the same in every version: others would write each idle Canary once at an upgrade (I8). */
function idle(standing: Standing): string {
  const { canary, facts } = standing;
  const serves = primaryServes(facts);
  if (facts.target === undefined) return `${serves}; waits for ${missing(standing)}: create it again`;
  const { kind, name } = canary.spec.targetRef;
  return facts.target.undetermined === undefined || facts.blocker !== undefined
    ? `${serves}; waits for a change of ${name}`
    : `${serves}; waits to know ${kind} ${name}: ${blockerText(facts.target.undetermined)}`;
}

function primaryServes({ primary }: Facts): string {
  return primary && !primary.serving ? `the primary does not serve${lacks(primary, 'primary')}` : 'the primary serves';
}

/** If something else blocks the target, that blocker is the reason. */
function unobserved({ canary, facts: { target, blocker } }: Standing): Wait | undefined {
  if (target?.undetermined === undefined || blocker !== undefined) return undefined;
  return { object: blockedTarget(canary), ...target.undetermined };
}
