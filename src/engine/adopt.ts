import type { CanaryStatus, Release } from '../api/canary-status.ts';
import { allToPrimary, reachesCanary } from '../api/routes.ts';
import { ANALYSING } from '../api/step.ts';
import type { Facts } from './facts.ts';

type Adopted = Omit<Release, 'targetUid' | 'observedGeneration' | 'run' | 'startedMs' | 'stepStartedMs'>;

/**
 * Release made from the state that another controller has left (E3): the live routes are recorded, a promoted revision is not analysed again, and a release in
 * progress continues from its step. The analysed revision is known only by its primary, since the other controller's hashes cannot be computed; a target that
 * was pushed after its last status has a revision that was never analysed.
 */
export function adopt(status: CanaryStatus, facts: Facts): Adopted {
  const adopted = adoptedRelease(status, facts);
  const { revision: now, template = now } = facts.target ?? {};
  // The target differs from the recorded revision: it must not count as unmoved.
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
  // The target is back at the revision of the primary: another revision was under analysis.
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
    // The other controller writes the primary before it sets this phase.
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
