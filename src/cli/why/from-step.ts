import type { Canary } from '../../api/canary.ts';
import type { Release } from '../../api/canary-status.ts';
import { type Cause, needsNoOne, remedyOf } from '../../api/codes/codes.ts';
import type { Phase } from '../../api/phase.ts';
import type { CanarySnapshot } from '../canaries/snapshot.ts';
import { aboutIt, actionOf, asCause, proofIn, type Trouble } from './finding.ts';
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

/** One possible cause; undefined: it is not this one. */
type PossibleCause = (state: ReleaseState) => Trouble | undefined;

/** The cause that follows from the state of the release in the statechart. */
export function fromStep(state: ReleaseState): Trouble {
  for (const causeIn of POSSIBLE_CAUSES[`${state.phase}.${state.release.step}`] ?? []) {
    const found = causeIn(state);
    if (found) return found;
  }
  return goesOn(state, 'Propagating');
}

const goesOn = ({ snapshot: { raw }, release }: ReleaseState, cause: Cause, how?: string): Trouble => ({
  cause,
  proof: [proofIn(raw, 'status.release.step', release.step)],
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
        proof: [proofIn(raw, 'status.release.reason', reason)],
      };

/** Serin restores its template itself: users can correct only its surroundings. */
const restoredPrimary: PossibleCause = ({ snapshot }) => {
  const { change: _, ...why } = fromSide(snapshot, 'primary');
  if (needsNoOne(why.cause)) return { cause: 'Restoring', proof: why.proof };
  return { ...asCause('Restoring', why), action: `${actionOf(why)}; ${remedyOf('Restoring')}` };
};

/** The primary was ready once: another writer or its surroundings broke it, so that it may be corrected itself. */
const brokenPrimary: PossibleCause = ({ snapshot }) => {
  const { primary: object, workload } = snapshot;
  if (!workload?.hasPods || !object || workload.isServing(workload.slim(object))) return undefined;
  const { change, ...why } = fromSide(snapshot, 'primary');
  return { ...asCause('PrimaryUnavailable', why), ...(change && { change: { ...change, name: object.metadata.name } }) };
};

/** Nothing depends on a target that may not be read while no release is in progress. */
const lostTarget: PossibleCause = (state) => {
  const missing = missingTarget(state);
  return missing?.cause === 'Unreadable' ? undefined : missing;
};

const resting: PossibleCause = ({ snapshot: { raw } }) => ({
  cause: 'Resting',
  proof: [proofIn(raw, 'status.phase')],
});

/** The reason says what ended it; the remedy is the same for every reason. */
const failed: PossibleCause = ({ snapshot: { raw }, canary: { spec }, release: { reason } }) => ({
  cause: 'Failed',
  about: { object: { ...spec.targetRef, namespace: raw.metadata.namespace } },
  proof: [proofIn(raw, 'status.release.reason', reason)],
  change: { template: '' },
});

const noRoomFor =
  (role: 'target' | 'primary'): PossibleCause =>
  ({ snapshot, release }) => {
    const why = fromSide(snapshot, role);
    return {
      ...asCause(why.cause === 'PodsStarting' ? 'InsufficientCapacity' : why.cause, why),
      proof: [...why.proof, proofIn(snapshot.raw, 'status.release.capacity.pods', release.capacity?.pods)],
      action: `${actionOf(why)}; ${remedyOf('InsufficientCapacity')}`,
    };
  };

/** By phase and step, in the order of importance. In all other states the release goes on by itself. */
const POSSIBLE_CAUSES: Readonly<Record<string, readonly PossibleCause[]>> = {
  'Initializing.creatingPrimary': [missingTarget, missingPrimary, primary],
  'Progressing.scalingUp': [target],
  'Progressing.canaryUnavailable': [target],
  'WaitingPromotion.canaryUnavailable': [target],
  'Progressing.raising': [noRoomFor('target')],
  'Promoting.raising': [noRoomFor('primary')],
  'Promoting.awaitingPrimary': [primary],
  'Promoting.writingPrimary': [refusedPrimary],
  'Failed.servingFromCanary': [restoredPrimary],
  'Failed.restoringPrimary': [restoredPrimary],
  'Failed.resting': [changedTarget, failed],
  'Waiting.gate': [hooks, calledHooks],
  'Initialized.confirming': [hooks, calledHooks],
  'Succeeded.confirming': [hooks, calledHooks],
  'Failed.confirming': [hooks, calledHooks],
  'Progressing.preRollout': [hooks, calledHooks],
  'Progressing.settling': [brokenPrimary],
  'Progressing.canaryRecovered': [brokenPrimary],
  'WaitingPromotion.canaryRecovered': [brokenPrimary],
  'Progressing.analysing': [hooks, verdicts, brokenPrimary, lateTarget, evidence, nextCheck],
  'WaitingPromotion.analysing': [hooks, verdicts, brokenPrimary, lateTarget, evidence, nextCheck],
  'Initialized.resting': [brokenPrimary, lostTarget, changedTarget, resting],
  'Succeeded.resting': [brokenPrimary, lostTarget, changedTarget, resting],
};
