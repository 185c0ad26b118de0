import type { Canary } from '../api/canary.ts';
import type { Capacity, Release } from '../api/canary-status.ts';
import type { Phase } from '../api/phase.ts';
import { reachesCanary } from '../api/routes.ts';
import { isBeforeTraffic, isResting } from '../api/step.ts';
import type { DesiredState } from './desired-state.ts';
import type { Facts } from './facts.ts';
import { decidesPods, isIdle } from './pin.ts';
import { stateOf } from './states/lookup.ts';
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
  const { isIdle: isOver = false, stopsPods = false } = stateOf(phase, release.step);
  const { capacity } = release;
  const atLeast: DesiredState['atLeast'] = capacity ? { [capacity.side]: withinMaximum(capacity, facts) } : {};
  const targetMinimum = isOver ? 0 : Math.max(release.heldPods ?? 0, atLeast.target ?? 0);
  if (isBeforeTraffic(phase, release)) return { frozen: false, prepared: true, ...untouched, primary: 'up', atLeast };
  const needsCanary = reachesCanary(release.routes) && facts.supports.weights;
  return {
    frozen: false,
    prepared: true,
    apexOnPrimary: true,
    routes: release.routes,
    target:
      isNextAtOnce(canary, release, facts) && !needsCanary
        ? 'untouched'
        : onceAtZero(targetWish(phase, { isOver, stopsPods, needsCanary }), release, facts),
    ...(release.stoppedPods !== undefined && { targetStart: release.stoppedPods }),
    primary: isResting(release) || phase === 'Waiting' ? 'untouched' : 'up',
    atLeast,
    ...(targetMinimum > 0 && { targetMinimum }),
    primaryScaler: phase === 'Promoting' || phase === 'Finalising' ? 'followed' : 'kept',
  };
}

/** A canary is scaled down once: a conflict with another writer would do more harm than idle pods (E90). */
function onceAtZero(wish: DesiredState['target'], release: Release, { target }: Facts): DesiredState['target'] {
  return wish === 'zero' && target && isIdle(target, release) ? 'idle' : wish;
}

/** A side that has traffic, or has just lost it, keeps its pods (D5, D6); only a resting canary without traffic is at zero (D7). */
function targetWish(
  phase: Phase,
  { isOver, stopsPods, needsCanary }: { isOver: boolean; stopsPods: boolean; needsCanary: boolean },
): DesiredState['target'] {
  switch (phase) {
    case 'Progressing':
    case 'WaitingPromotion':
      return stopsPods && !needsCanary ? 'zero' : 'up';
    case '':
    case 'Initializing':
    case 'Terminating':
    case 'Terminated':
      return 'untouched';
    case 'Promoting':
    case 'Finalising':
      return needsCanary ? 'up' : 'untouched';
    case 'Initialized':
    case 'Waiting':
    case 'Succeeded':
    case 'Failed':
      if (needsCanary) return 'up';
      return isOver ? 'zero' : 'untouched';
    default:
      return phase satisfies never;
  }
}

/** A maximum that was lowered meanwhile limits the pods. */
function withinMaximum({ side, pods }: Capacity, { scaler }: Facts): number {
  return Math.min(pods, scaler?.[side].max ?? pods);
}

/**
 * A newer revision has waited, and starts with the next event: its analysis uses the pods that would otherwise be stopped for that moment. Pods that could have
 * read other configs must stop all the same (E56).
 */
function isNextAtOnce(canary: Canary, release: Release, { target, refused }: Facts): boolean {
  const { revision, promotedRevision } = release;
  if (!isResting(release) || target === undefined || refused !== undefined || [revision, promotedRevision].includes(target.revision))
    return false;
  if (hasHooks(canary, 'confirm-rollout')) return false;
  return !Object.values(target.configs ?? {}).some(decidesPods);
}
