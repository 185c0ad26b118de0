import type { Canary } from '../../api/canary.ts';
import type { Release } from '../../api/canary-status.ts';
import { type Cause, needsNoOne, remedyOf } from '../../api/codes/codes.ts';
import { endingOf, endingRemedy, isRemediedByVersion } from '../../api/ending.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import type { Phase } from '../../api/phase.ts';
import { states } from '../../engine/states/index.ts';
import { knownStateOf } from '../../engine/states/lookup.ts';
import type { Awaited } from '../../engine/wait.ts';
import type { CanarySnapshot } from '../snapshot.ts';
import { aboutIt, actionOf, asCause, fieldProof, isVague, storedValue, type Trouble } from './finding.ts';
import { fromHooks, fromVerdicts } from './from-checks.ts';
import { fromEvidence } from './from-evidence.ts';
import { fromSide } from './from-side.ts';
import { unseenChange } from './unseen.ts';

/** A release in a state of the statechart. */
interface ReleaseState {
  snapshot: CanarySnapshot;
  canary: Canary;
  phase: Phase;
  release: Release;
}

/** One possible cause, `undefined` if it does not apply. */
type PossibleCause = (state: ReleaseState) => Trouble | undefined;

/** The cause that follows from what the release awaits in its state of the statechart. */
export function fromStep(state: ReleaseState): Trouble {
  const name = knownStateOf(state.phase, state.release.step);
  if (name === undefined) return unknownStep(state);
  for (const awaited of states[name].awaits) {
    const found = CAUSES[awaited](state);
    if (found) return found;
  }
  return goesOnUnlessFailed(state);
}

/** A newer Serin, or an edit by hand: the awaited event is unknown. */
const unknownStep = ({ snapshot: { raw }, release }: ReleaseState): Trouble => ({
  cause: 'Unseen',
  proof: [fieldProof(raw, 'status.release.step', release.step)],
  action: 'use a serin of the version of the controller: this one does not know the step',
});

const goesOn = ({ snapshot: { raw }, release }: ReleaseState, cause: Cause, how?: string): Trouble => ({
  cause,
  proof: [fieldProof(raw, 'status.release.step', release.step)],
  ...(how && { action: `nothing to do: ${how}` }),
});

const target: PossibleCause = ({ snapshot }) => fromSide(snapshot, 'target');
const primary: PossibleCause = ({ snapshot }) => fromSide(snapshot, 'primary');
const missingTarget: PossibleCause = (state) => (state.snapshot.target === undefined ? target(state) : undefined);
const missingPrimary: PossibleCause = (state) =>
  state.snapshot.primary === undefined ? goesOn(state, 'PodsStarting', 'the primary is being made') : undefined;
const lateTarget: PossibleCause = (state) => (state.release.awaitedSinceMs === undefined ? undefined : target(state));
const hooks: PossibleCause = ({ snapshot, canary, release }) => fromHooks(snapshot, canary, release);
const calledHooks: PossibleCause = (state) => goesOn(state, 'Running', 'the hooks are being called');
const verdicts: PossibleCause = ({ snapshot, release }) => fromVerdicts(snapshot, release);
const evidence: PossibleCause = ({ snapshot, canary, release }) => fromEvidence(snapshot, canary, release);
const nextCheck: PossibleCause = (state) => goesOn(state, 'Running');
const changedTarget: PossibleCause = ({ snapshot }) => unseenChange(snapshot);

const refusedPrimary: PossibleCause = ({ snapshot: { raw, primary: object }, release: { reason } }) =>
  reason === undefined
    ? undefined
    : {
        cause: 'PrimaryRejected',
        about: object && aboutIt(object),
        proof: [fieldProof(raw, 'status.release.reason', reason)],
      };

/** Serin restores its template itself: users can correct only its surroundings. */
const restoredPrimary: PossibleCause = ({ snapshot }) => {
  const { change: _, ...why } = fromSide(snapshot, 'primary');
  if (isVague(why)) return { cause: 'Restoring', proof: why.proof };
  return { ...asCause('Restoring', why), action: `${actionOf(why)}; ${remedyOf('Restoring')}` };
};

/** The primary was ready once: another writer or its surroundings broke it, so the primary itself can be the object to correct. */
const brokenPrimary: PossibleCause = ({ snapshot }) => {
  const { primary: object, workload } = snapshot;
  if (!workload?.hasPods || !object || workload.isServing(workload.slim(object))) return undefined;
  const { change, ...why } = fromSide(snapshot, 'primary');
  if (isVague(why) && !needsNoOne(why.cause)) return { cause: 'PrimaryUnavailable', about: aboutIt(object), proof: why.proof };
  return { ...asCause('PrimaryUnavailable', why), ...(change && { change: { ...change, name: object.metadata.name } }) };
};

/** Nothing depends on an unreadable target while no release is in progress. */
const lostTarget: PossibleCause = (state) => {
  const missing = missingTarget(state);
  return missing?.cause === 'Unreadable' ? undefined : missing;
};

const resting: PossibleCause = ({ snapshot: { raw } }) => ({
  cause: 'Resting',
  proof: [fieldProof(raw, 'status.phase')],
});

/** The recorded ending decides who can act, and how. */
const failed: PossibleCause = ({ snapshot: { raw }, canary: { metadata, spec }, phase, release }) => {
  const { targetRef } = spec;
  const { name, namespace } = metadata;
  const ending = endingOf(phase, release);
  const at = 'status.release.ending';
  const isRecorded = release.ending !== undefined && ending === release.ending;
  const fields = ['code', 'cause', 'webhook', 'requester', 'pod', 'checks[0].value', 'checks[0].limit', 'field'];
  return {
    cause: 'Failed',
    proof: isRecorded
      ? provenBy(
          raw,
          fields.map((field) => `${at}.${field}`),
        )
      : [fieldProof(raw, 'status.release.reason', release.reason)],
    action: ending ? endingRemedy(ending, { target: `${targetRef.kind} ${targetRef.name}`, name, namespace }) : NO_ENDING,
    ...((ending === undefined || isRemediedByVersion(ending)) && { change: { template: '' } }),
  };
};

/** A release that has failed goes on by itself to its end: its remedy is that of its end. */
function goesOnUnlessFailed(state: ReleaseState): Trouble {
  return (state.phase === 'Failed' ? failed(state) : undefined) ?? goesOn(state, 'Propagating');
}

/** Proof from the fields that are set. */
const provenBy = (raw: KubeObject, fields: readonly string[]): Trouble['proof'] =>
  fields.flatMap((field) => (storedValue(raw, field) === undefined ? [] : [fieldProof(raw, field)]));

/** Remedy for a status that another controller or a user has written. */
const NO_ENDING = 'push a corrected target';

const noRoomFor =
  (role: 'target' | 'primary'): PossibleCause =>
  ({ snapshot, release }) => {
    // All of its pods are ready: proxies are given time.
    if (release.capacity?.reachedMs !== undefined) return undefined;
    const why = fromSide(snapshot, role);
    const room = remedyOf('InsufficientCapacity');
    return {
      ...asCause(isVague(why) ? 'InsufficientCapacity' : why.cause, why),
      proof: [...why.proof, fieldProof(snapshot.raw, 'status.release.capacity.pods', release.capacity?.pods)],
      action: isVague(why) ? room : `${actionOf(why)}; ${room}`,
    };
  };

/** Cause in the objects for each awaited result, `undefined` if that does not hold the release. */
const CAUSES: Readonly<Record<Awaited, PossibleCause>> = {
  firstPrimary: (state) => missingTarget(state) ?? missingPrimary(state) ?? primary(state),
  target,
  shortTarget: lateTarget,
  primary,
  servingPrimary: brokenPrimary,
  roomForTarget: noRoomFor('target'),
  roomForPrimary: noRoomFor('primary'),
  acceptedPrimary: refusedPrimary,
  restoredPrimary,
  refusedHooks: hooks,
  hooks: (state) => hooks(state) ?? calledHooks(state),
  checks: verdicts,
  evidence,
  nextCheck,
  revision: (state) => lostTarget(state) ?? changedTarget(state) ?? resting(state),
  correction: (state) => changedTarget(state) ?? failed(state),
  itself: goesOnUnlessFailed,
};
