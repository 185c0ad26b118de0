import type { Canary } from '../api/canary.ts';
import type { Release } from '../api/canary-status.ts';
import { reachesCanary } from '../api/routes.ts';
import type { Facts } from './facts.ts';
import type { Intent } from './intent.ts';
import { decidesPods } from './pin.ts';
import { hasHooks } from './strategy.ts';

const untouched = { apexOnPrimary: false, target: 'untouched', primary: 'untouched', atLeast: {}, primaryScaler: 'kept' } as const;

/** What the cluster should hold under the recorded status (rules D1–D9). Pure: healing, resuming and stepping are this one path. */
export function intentOf(canary: Canary, facts: Facts): Intent {
  const { status } = canary;
  const release = status?.release;
  const phase = status?.phase ?? '';
  const isOurs = canary.metadata.deletionTimestamp === undefined && phase !== 'Terminating' && phase !== 'Terminated';
  if (canary.spec.suspend === true || !isOurs || (phase !== '' && !release)) return { frozen: true, prepared: false, ...untouched };
  if (!release || phase === '') return { frozen: false, prepared: false, ...untouched };
  const isTaking = phase !== 'Initializing' || (release.step !== 'creatingPrimary' && release.step !== 'settling');
  const { capacity } = release;
  const isHeld = capacity !== undefined && facts.nowMs < (capacity.untilMs ?? Number.POSITIVE_INFINITY);
  const atLeast = isHeld ? { [capacity.side]: capacity.pods } : {};
  if (!isTaking) return { frozen: false, prepared: true, ...untouched, primary: 'up', atLeast };
  const needsCanary = reachesCanary(release.routes) && facts.supports.weights;
  return {
    frozen: false,
    prepared: true,
    apexOnPrimary: true,
    routes: release.routes,
    target: isNextAtOnce(canary, release, facts) && !needsCanary ? 'untouched' : targetWish(phase, release.step, needsCanary),
    primary: release.step === 'resting' || phase === 'Waiting' ? 'untouched' : 'up',
    atLeast,
    primaryScaler: phase === 'Promoting' || phase === 'Finalising' ? 'followed' : 'kept',
  };
}

/** A side that has traffic, or has just lost it, keeps its pods (D5, D6); only a resting canary without traffic is at zero (D7). */
function targetWish(phase: string, name: string, needsCanary: boolean): Intent['target'] {
  switch (phase) {
    case 'Progressing':
    case 'WaitingPromotion':
      return name === 'emptying' && !needsCanary ? 'zero' : 'up';
    case 'Initializing':
      return 'untouched';
    case 'Promoting':
    case 'Finalising':
      return needsCanary ? 'up' : 'untouched';
    default:
      if (needsCanary) return 'up';
      return ['resting', 'confirming', 'gate', 'undoing'].includes(name) ? 'zero' : 'untouched';
  }
}

/**
 * A newer revision has waited, and is looked at with the next event: pods that would be sent away for that moment are the ones that it is
 * analysed with. Those that may have read other configs have to go all the same (E56).
 */
function isNextAtOnce(canary: Canary, { step, revision, promotedRevision }: Release, { target, refused }: Facts): boolean {
  if (step !== 'resting' || target === undefined || refused !== undefined || [revision, promotedRevision].includes(target.revision))
    return false;
  if (canary.spec.skipAnalysis === true || hasHooks(canary, 'confirm-rollout')) return false;
  return !Object.values(target.configs ?? {}).some(decidesPods);
}
