import type { Canary } from '../api/canary.ts';
import type { Capacity, Release } from '../api/canary-status.ts';
import { reachesCanary } from '../api/routes.ts';
import type { DesiredState } from './desired-state.ts';
import type { Facts } from './facts.ts';
import { decidesPods, isIdle } from './pin.ts';
import { hasHooks } from './strategy.ts';

const untouched = { apexOnPrimary: false, target: 'untouched', primary: 'untouched', atLeast: {}, primaryScaler: 'kept' } as const;

/** Desired state of the cluster under the recorded status (rules D1–D9). Pure: healing, resuming and stepping are this one path. */
export function desiredStateOf(canary: Canary, facts: Facts): DesiredState {
  const { status } = canary;
  const release = status?.release;
  const phase = status?.phase ?? '';
  const isOurs = canary.metadata.deletionTimestamp === undefined && phase !== 'Terminating' && phase !== 'Terminated';
  if (canary.spec.suspend === true || !isOurs || (phase !== '' && !release)) return { frozen: true, prepared: false, ...untouched };
  if (!release || phase === '') return { frozen: false, prepared: false, ...untouched };
  const isTaking = phase !== 'Initializing' || (release.step !== 'creatingPrimary' && release.step !== 'settling');
  const { capacity } = release;
  const atLeast: DesiredState['atLeast'] = capacity ? { [capacity.side]: withinMaximum(capacity, facts) } : {};
  const targetMinimum = isResting(phase, release.step) ? 0 : Math.max(release.heldPods ?? 0, atLeast.target ?? 0);
  if (!isTaking) return { frozen: false, prepared: true, ...untouched, primary: 'up', atLeast };
  const needsCanary = reachesCanary(release.routes) && facts.supports.weights;
  return {
    frozen: false,
    prepared: true,
    apexOnPrimary: true,
    routes: release.routes,
    target:
      isNextAtOnce(canary, release, facts) && !needsCanary
        ? 'untouched'
        : onceAtZero(targetWish(phase, release.step, needsCanary), release, facts),
    ...(release.stoppedPods !== undefined && { targetStart: release.stoppedPods }),
    primary: release.step === 'resting' || phase === 'Waiting' ? 'untouched' : 'up',
    atLeast,
    ...(targetMinimum > 0 && { targetMinimum }),
    primaryScaler: phase === 'Promoting' || phase === 'Finalising' ? 'followed' : 'kept',
  };
}

/** A canary is scaled down once: to fight another writer for it would harm more than idle pods do (E90). */
function onceAtZero(wish: DesiredState['target'], release: Release, { target }: Facts): DesiredState['target'] {
  return wish === 'zero' && target && isIdle(target, release) ? 'idle' : wish;
}

/** A side that has traffic, or has just lost it, keeps its pods (D5, D6); only a resting canary without traffic is at zero (D7). */
function targetWish(phase: string, name: string, needsCanary: boolean): DesiredState['target'] {
  switch (phase) {
    case 'Progressing':
    case 'WaitingPromotion':
      return name === 'recycleStopping' && !needsCanary ? 'zero' : 'up';
    case 'Initializing':
      return 'untouched';
    case 'Promoting':
    case 'Finalising':
      return needsCanary ? 'up' : 'untouched';
    default:
      if (needsCanary) return 'up';
      return isResting(phase, name) ? 'zero' : 'untouched';
  }
}

/** No release is under way. */
function isResting(phase: string, step: string): boolean {
  return phase === 'Waiting' || ['resting', 'confirming', 'undoing', 'restarting'].includes(step);
}

/** A maximum that was lowered since is all that there will be. */
function withinMaximum({ side, pods }: Capacity, { scaler }: Facts): number {
  return Math.min(pods, scaler?.[side].max ?? pods);
}

/**
 * A newer revision has waited, and starts with the next event: pods that would be sent away for that moment are the ones that it is
 * analysed with. Those that may have read other configs have to go all the same (E56).
 */
function isNextAtOnce(canary: Canary, { step, revision, promotedRevision }: Release, { target, refused }: Facts): boolean {
  if (step !== 'resting' || target === undefined || refused !== undefined || [revision, promotedRevision].includes(target.revision))
    return false;
  if (hasHooks(canary, 'confirm-rollout')) return false;
  return !Object.values(target.configs ?? {}).some(decidesPods);
}
