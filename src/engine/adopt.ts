import type { CanaryStatus, Release } from '../api/canary-status.ts';
import { allToPrimary, reachesCanary } from '../api/routes.ts';
import { ANALYSING } from '../api/step.ts';
import type { Facts } from './facts.ts';

type Adopted = Omit<Release, 'targetUid' | 'observedGeneration' | 'run' | 'startedMs' | 'stepStartedMs'>;

/**
 * Release made from what another controller has been running (E3): the live routes are the recorded ones, what was promoted
 * is not analysed again, and what is under way goes on from where it is. What it analysed is known by its primary alone, since its hashes
 * cannot be computed; a target that was pushed after its last status is a revision that was never analysed.
 */
export function adopt(status: CanaryStatus, facts: Facts): Adopted {
  const adopted = adoptedRelease(status, facts);
  const { revision: now, template = now } = facts.target ?? {};
  // The target that was seen is another one than the revision that is recorded: an unmoved target must not be taken for it.
  return adopted.revision === now || template === undefined ? adopted : { ...adopted, template };
}

function adoptedRelease(status: CanaryStatus, facts: Facts): Adopted {
  const live = facts.liveRoutes;
  const routes = live && !('unreadable' in live) ? live : allToPrimary;
  const now = facts.target?.revision ?? '';
  const { equals, primaryRevision, pushed } = facts.adoption ?? { equals: true, primaryRevision: now, pushed: false };
  const promoted = equals ? now : primaryRevision;
  const base = { step: '', routes, failedChecks: status.failedChecks, iterations: Math.max(0, status.iterations) };
  const underWay = { ...base, confirmed: true, preRolloutPassed: true };
  const atPrimary = { revision: promoted, promotedRevision: promoted };
  // The target is back at what the primary holds: another revision was under analysis.
  const returned = { revision: '', promotedRevision: now };
  switch (status.phase) {
    case '':
    case 'Initializing':
      return { ...base, revision: now, ...(equals ? {} : { promotedRevision: primaryRevision }) };
    case 'Waiting':
      return { ...base, ...(equals ? returned : { revision: now, promotedRevision: primaryRevision }) };
    case 'Progressing':
    case 'WaitingPromotion': {
      if (equals) return { ...underWay, ...returned };
      if (pushed) return { ...base, ...atPrimary };
      const hasBegun = status.phase === 'WaitingPromotion' || base.iterations > 0 || routes.kind === 'mirrored' || reachesCanary(routes);
      const pinned = { revision: now, promotedRevision: primaryRevision };
      return hasBegun
        ? { ...underWay, ...pinned, step: ANALYSING, wakeAtMs: facts.nowMs + facts.intervalMs }
        : { ...base, ...pinned, confirmed: true };
    }
    // It writes the primary before it says so.
    case 'Promoting':
      return { ...underWay, ...atPrimary, step: 'shifting' };
    case 'Finalising':
      return { ...underWay, ...atPrimary };
    case 'Failed':
      return { ...base, ...(equals || pushed ? atPrimary : { revision: now, promotedRevision: primaryRevision }) };
    case 'Initialized':
    case 'Succeeded':
    case 'Terminating':
    case 'Terminated':
      return { ...base, ...atPrimary };
    default:
      return status.phase satisfies never;
  }
}
