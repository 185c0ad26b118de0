import type { Canary } from '../../api/canary.ts';
import type { Release } from '../../api/canary-status.ts';
import { endingOf, endingRemedy, endings } from '../../api/ending.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import type { Phase } from '../../api/phase.ts';
import type { CanarySnapshot } from '../canaries/snapshot.ts';
import { type Cause, harmless } from './causes.ts';
import { proofIn, type Trouble, valueAt } from './finding.ts';
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
  return goesOn(state, 'Propagating', 'it goes on by itself');
}

const goesOn = ({ snapshot: { raw }, release }: ReleaseState, cause: Cause, how: string): Trouble => ({
  cause,
  proof: [proofIn(raw, 'status.release.step', release.step)],
  action: `nothing to do: ${how}`,
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
const nextCheck: PossibleCause = (state) => goesOn(state, 'Running', 'the next check is awaited');
const changedTarget: PossibleCause = ({ snapshot }) => unseenChange(snapshot);

const refusedPrimary: PossibleCause = ({ snapshot: { raw }, release: { reason } }) =>
  reason === undefined
    ? undefined
    : {
        cause: 'PrimaryRejected',
        proof: [proofIn(raw, 'status.release.reason', reason)],
        action: 'remove what refuses the primary: the reason names it',
      };

/** Serin restores its template itself: users can correct only its surroundings. */
const restoredPrimary: PossibleCause = ({ snapshot }) => {
  const { change: _, ...why } = fromSide(snapshot, 'primary');
  const then = 'wait until the primary is ready again, then push a corrected target';
  if (harmless.has(why.cause)) return { cause: 'Restoring', proof: why.proof, action: then };
  return { ...why, cause: 'Restoring', action: `${why.action}; ${then}` };
};

/** The primary was ready once: another writer or its surroundings broke it, so that it may be corrected itself. */
const brokenPrimary: PossibleCause = ({ snapshot }) => {
  const { primary: object, workload } = snapshot;
  if (!workload?.hasPods || !object || workload.isServing(workload.slim(object))) return undefined;
  const { change, ...why } = fromSide(snapshot, 'primary');
  return { ...why, cause: 'PrimaryUnavailable', ...(change && { change: { ...change, name: object.metadata.name } }) };
};

/** Nothing depends on a target that may not be read while no release is in progress. */
const lostTarget: PossibleCause = (state) => {
  const missing = missingTarget(state);
  return missing?.cause === 'Unreadable' ? undefined : missing;
};

const resting: PossibleCause = ({ snapshot: { raw } }) => ({
  cause: 'Resting',
  proof: [proofIn(raw, 'status.phase')],
  action: 'edit the target to start a release',
});

/** The recorded ending says what ended it, and so who can do what. */
const failed: PossibleCause = ({ snapshot: { raw }, canary: { metadata, spec }, phase, release }) => {
  const { targetRef } = spec;
  const { name, namespace } = metadata;
  const ending = endingOf(phase, release);
  const at = 'status.release.ending';
  const isRecorded = release.ending !== undefined && ending === release.ending;
  const fields = ['code', 'webhook', 'requester', 'pod', 'checks[0].value', 'checks[0].limit', 'field'];
  return {
    cause: 'Failed',
    proof: isRecorded
      ? provenBy(
          raw,
          fields.map((field) => `${at}.${field}`),
        )
      : [proofIn(raw, 'status.release.reason', release.reason)],
    action: ending ? endingRemedy(ending, { target: `${targetRef.kind} ${targetRef.name}`, name, namespace }) : NO_ENDING,
    ...((ending === undefined || endings[ending.code].isOfVersion) && { change: { template: '' } }),
    look: `serin status ${name} -n ${namespace}`,
  };
};

/** Those that are set. */
const provenBy = (raw: KubeObject, fields: readonly string[]): Trouble['proof'] =>
  fields.flatMap((field) => (valueAt(raw, field) === undefined ? [] : [proofIn(raw, field)]));

/** Of a status that another controller or a user has written. */
const NO_ENDING = 'push a corrected target';

const noRoomFor =
  (role: 'target' | 'primary'): PossibleCause =>
  ({ snapshot, release }) => {
    const why = fromSide(snapshot, role);
    return {
      ...why,
      cause: why.cause === 'PodsStarting' ? 'InsufficientCapacity' : why.cause,
      proof: [...why.proof, proofIn(snapshot.raw, 'status.release.capacity.pods', release.capacity?.pods)],
      action: `${why.action}; ask the administrator of the cluster for more capacity`,
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
