import { blockerText } from '../api/blocker-text.ts';
import type { Release } from '../api/canary-status.ts';
import type { Phase } from '../api/phase.ts';
import { isResting } from '../api/step.ts';
import { LONGEST_WAIT_MS, type SeenRequest, type Verb, type VerbRequest } from '../api/verb-request.ts';
import { timestamp } from '../base/timestamp.ts';
import type { Facts } from './facts.ts';
import { stateOf } from './states/lookup.ts';

/** Tolerated difference of two clocks; a later date is an answer to a state that no one has seen yet. Milliseconds. */
const MOST_AHEAD_MS = 300_000;
/** The write of an undo or a restart is seen by then, also on a busy API server. Milliseconds. */
const SEEN_WITHIN_MS = 60_000;

/** The last request, if it has no answer yet (E70). */
export function pendingRequest({ requests = [], undo, restart }: Release, { request }: Facts): SeenRequest | undefined {
  if (request === undefined || [undo?.id, restart?.id].includes(request.id) || requests.some(({ id }) => id === request.id))
    return undefined;
  return request;
}

/** Reason for which a request is not possible now; undefined if it is. The table is in docs/verbs.md (E70–E75). */
export function refusalOf(request: SeenRequest, phase: Phase, release: Release, facts: Facts): string | undefined {
  if ('problem' in request) return request.problem;
  if (facts.canary.spec.suspend === true) return 'spec.suspend is true, so nothing is done until someone sets it to false';
  if (facts.nowMs - request.atMs > LONGEST_WAIT_MS)
    return `it was requested at ${timestamp(request.atMs)}, more than an hour ago, and much could have changed since: request it again`;
  if (request.atMs - facts.nowMs > MOST_AHEAD_MS)
    return `it is dated ${timestamp(request.atMs)}, more than 5 minutes ahead of the clock of Serin: correct the clock that wrote it, and request it again`;
  return refusals[request.verb](phase, release, facts, request);
}

/** A retry of a release that is still being rolled back: it is noted, and carried out at the end (E75). */
export function isNotedOnly({ verb }: VerbRequest, phase: Phase, { step }: Pick<Release, 'step'>): boolean {
  return verb === 'retry' && phase === 'Failed' && !isResting({ step });
}

type VerbCheck = (phase: Phase, release: Release, facts: Facts, request: VerbRequest) => string | undefined;

const refusals: Readonly<Record<Verb, VerbCheck>> = {
  promote(phase, release, facts, { atMs }) {
    if (!isGated(phase, release) && !isAnalysed(phase)) return `${standing(phase, release)}, so there is nothing to promote`;
    if (facts.refused) return `an edit of the spec is refused, and nothing advances before it is corrected: ${facts.refused.message}`;
    if (facts.blocker !== undefined) return `it is blocked: ${blockerText(facts.blocker)}`;
    if (isGated(phase, release)) return undefined;
    // Two users who approve the same start must not skip the analysis together, and a revision that came after the request must not be promoted.
    if (atMs <= release.startedMs)
      return `it was requested before this release began at ${timestamp(release.startedMs)}: request it again if it is meant`;
    const isFit =
      facts.target?.serving === true && facts.target.readiness.state === 'ready' && stateOf(phase, release.step).isUnfit !== true;
    return isFit ? undefined : 'the canary has no pods that are ready, so it is not known whether its revision can serve';
  },
  rollback(phase, release) {
    if (isGated(phase, release) || isAnalysed(phase)) return undefined;
    if (phase === 'Promoting' || phase === 'Finalising')
      return `${standing(phase, release)}, and its primary takes the new revision already: wait for the end, then undo it`;
    return `${standing(phase, release)}, so there is nothing to roll back`;
  },
  pause(phase, { paused, ...release }) {
    if (paused) return `it is paused already, by ${paused.by} since ${timestamp(paused.sinceMs)}`;
    if (phase === 'Waiting' || isAnalysed(phase)) return undefined;
    if (isGated(phase, release)) return 'its confirm-rollout hooks are being called at this moment: request it again';
    if (phase === 'Promoting' || phase === 'Finalising') return `${standing(phase, release)}, which is not stopped half-way`;
    return `${standing(phase, release)}, so there is nothing to pause; spec.suspend holds up releases that are to come`;
  },
  resume: (_phase, { paused }) => (paused ? undefined : 'it is not paused'),
  retry(phase, release, facts) {
    const { target, refused } = facts;
    if (phase !== 'Failed') return `${standing(phase, release)}, and only a failed release is tried again`;
    if (isGated(phase, release)) return `${standing(phase, release)}: it is being tried again, or the next one begins`;
    const isNoted = release.retry !== undefined && facts.nowMs - release.retry.atMs <= LONGEST_WAIT_MS && !isResting(release);
    if (release.retry && isNoted) return `a retry that ${release.retry.by} requested waits until its pods have stopped`;
    if (!target) return 'the target does not exist';
    if (refused) return `an edit of the spec is refused: ${refused.message}`;
    if (target.undetermined !== undefined) return `the target's revision is not known: ${blockerText(target.undetermined)}`;
    return target.revision === release.revision ? undefined : 'the target does not hold the failed revision any more';
  },
  undo(phase, release, facts) {
    if (release.undo) return `an undo that ${release.undo.by} requested is under way`;
    if (phase !== 'Succeeded' || !isResting(release)) return `${standing(phase, release)}, and only a promotion that is complete is undone`;
    const done = release.requests?.findLast(({ verb, outcome }) => verb === 'undo' && outcome === 'carriedOut');
    if (done && done.atMs >= release.stepStartedMs && facts.nowMs - done.atMs < SEEN_WITHIN_MS)
      return `an undo that ${done.by} requested was carried out, and its release is about to begin`;
    if (!facts.target) return 'the target does not exist';
    return facts.target.revision === release.promotedRevision ? undefined : 'the target does not hold the promoted revision any more';
  },
  restart(phase, release, facts) {
    const isAtRest = phase === 'Initialized' || phase === 'Succeeded' || phase === 'Failed';
    if (!isAtRest || !isResting(release)) return `${standing(phase, release)}, and a primary is restarted only at rest: wait for the end`;
    const done = release.requests?.findLast(({ verb, outcome }) => verb === 'restart' && outcome === 'carriedOut');
    if (done && facts.nowMs - done.atMs < SEEN_WITHIN_MS) return `a restart that ${done.by} requested has just begun`;
    return facts.primary ? undefined : 'the primary does not exist';
  },
};

/** Nothing of the release has started, and its start waits for approval. */
function isGated(phase: Phase, { step }: Pick<Release, 'step'>): boolean {
  return stateOf(phase, step).awaitsApproval === true;
}

function isAnalysed(phase: Phase): boolean {
  return phase === 'Progressing' || phase === 'WaitingPromotion';
}

/** State of a release in each phase, for the author of a request that is not possible. */
const STANDINGS: Readonly<Record<Phase, string>> = {
  '': 'its primary is still being made',
  Initializing: 'its primary is still being made',
  Initialized: 'no release is under way',
  Waiting: 'its release is under way',
  Progressing: 'its release is under way',
  WaitingPromotion: 'its release is under way',
  Promoting: 'it is being promoted',
  Finalising: 'it is being promoted',
  Succeeded: 'its release was cancelled, and its pods are being stopped',
  Failed: 'its release is being rolled back',
  Terminating: 'no release is under way',
  Terminated: 'no release is under way',
};

function standing(phase: Phase, { step }: Pick<Release, 'step'>): string {
  return stateOf(phase, step).stands ?? STANDINGS[phase];
}
