import type { Canary } from '../../api/canary.ts';
import type { Release } from '../../api/canary-status.ts';
import { statusOf } from '../../api/kinds/spec-of.ts';
import type { Phase } from '../../api/phase.ts';
import type { CanarySnapshot } from '../canaries/snapshot.ts';
import { type Cause, harmless } from './causes.ts';
import { proofIn, type Trouble, toCorrect } from './finding.ts';
import { fromHooks, fromVerdicts } from './from-checks.ts';
import { fromSide } from './from-side.ts';
import { unseenChange } from './unseen.ts';

/** The cause that follows from the state of the release in the statechart. */
export function fromStep(snapshot: CanarySnapshot, canary: Canary, phase: Phase, release: Release): Trouble {
  const { raw, target, primary } = snapshot;
  const step = (cause: Cause, action: string): Trouble => ({ cause, proof: [proofIn(raw, 'status.release.step', release.step)], action });
  const passes = () => step('Propagating', 'nothing to do: it goes on by itself');
  const side = (role: 'target' | 'primary') => fromSide(snapshot, role);
  switch (`${phase}.${release.step}`) {
    case 'Initializing.creatingPrimary':
      return target === undefined
        ? side('target')
        : primary === undefined
          ? step('PodsStarting', 'nothing to do: the primary is being made')
          : side('primary');
    case 'Progressing.scalingUp':
    case 'Progressing.canaryUnavailable':
    case 'WaitingPromotion.canaryUnavailable':
      return side('target');
    case 'Progressing.raising':
      return noRoom(snapshot, 'target', release);
    case 'Promoting.raising':
      return noRoom(snapshot, 'primary', release);
    case 'Promoting.awaitingPrimary':
      return side('primary');
    case 'Promoting.writingPrimary':
      return release.reason === undefined
        ? passes()
        : {
            cause: 'PrimaryRejected',
            proof: [proofIn(raw, 'status.release.reason', release.reason)],
            action: 'remove what refuses the primary: the reason names it',
          };
    case 'Failed.servingFromCanary':
    case 'Failed.restoringPrimary':
      return restoring(side('primary'));
    case 'Failed.resting':
      return unseenChange(snapshot) ?? failed(snapshot, canary, release);
    case 'Waiting.gate':
    case 'Initialized.confirming':
    case 'Succeeded.confirming':
    case 'Failed.confirming':
    case 'Progressing.preRollout':
      return fromHooks(snapshot, canary, release) ?? step('Running', 'nothing to do: the hooks are being called');
    case 'Progressing.settling':
    case 'Progressing.canaryRecovered':
    case 'WaitingPromotion.canaryRecovered':
      return primaryDown(snapshot) ?? passes();
    case 'Progressing.analysing':
    case 'WaitingPromotion.analysing':
      return (
        fromHooks(snapshot, canary, release) ??
        fromVerdicts(snapshot, release) ??
        primaryDown(snapshot) ??
        (release.awaitedSinceMs === undefined ? step('Running', 'nothing to do: the next check is awaited') : side('target'))
      );
    case 'Initialized.resting':
    case 'Succeeded.resting':
      return resting(snapshot);
    default:
      return passes();
  }
}

/** Serin restores its template itself: users can correct only its surroundings. */
function restoring({ change: _, ...why }: Trouble): Trouble {
  const then = 'then push a corrected target';
  if (harmless.has(why.cause)) return { cause: 'Restoring', proof: why.proof, action: `wait until the primary is ready again, ${then}` };
  return { ...why, cause: 'Restoring', action: `${why.action}; wait until the primary is ready again, ${then}` };
}

function resting(snapshot: CanarySnapshot): Trouble {
  const { raw, target } = snapshot;
  const down = primaryDown(snapshot);
  if (down) return down;
  const missing = target === undefined ? fromSide(snapshot, 'target') : undefined;
  // Nothing depends on it while no release is in progress.
  if (missing && missing.cause !== 'Unreadable') return missing;
  const rest = {
    proof: [proofIn(raw, 'status.phase', statusOf<{ phase: unknown }>(raw).phase)],
    action: 'edit the target to start a release',
  };
  return unseenChange(snapshot) ?? { cause: 'Resting', ...rest };
}

/** The primary was ready once: another writer or its surroundings broke it, so that it may be corrected itself. */
function primaryDown(snapshot: CanarySnapshot): Trouble | undefined {
  const { canary, primary, workload } = snapshot;
  if (!canary || !workload?.hasPods || !primary || workload.isServing(workload.slim(primary))) return undefined;
  const { change, ...why } = fromSide(snapshot, 'primary');
  return { ...why, cause: 'PrimaryUnavailable', ...(change && { change: { ...change, name: primary.metadata.name } }) };
}

/** The reason says what ended it; the remedy is the same for every reason. */
function failed(snapshot: CanarySnapshot, { spec }: Canary, { reason }: Release): Trouble {
  const { kind, name } = spec.targetRef;
  const { raw } = snapshot;
  return {
    cause: 'Failed',
    proof: [proofIn(raw, 'status.release.reason', reason)],
    action: `push a corrected ${kind} ${name}; if the version is good, release it again with serin retry`,
    ...toCorrect(snapshot),
    look: `serin status ${raw.metadata.name} -n ${raw.metadata.namespace}`,
  };
}

function noRoom(snapshot: CanarySnapshot, role: 'target' | 'primary', { capacity }: Release): Trouble {
  const why = fromSide(snapshot, role);
  const wanted = proofIn(snapshot.raw, 'status.release.capacity.pods', capacity?.pods);
  return {
    ...why,
    cause: why.cause === 'PodsStarting' ? 'InsufficientCapacity' : why.cause,
    proof: [...why.proof, wanted],
    action: `${why.action}; ask the administrator of the cluster for more capacity`,
  };
}
