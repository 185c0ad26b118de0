import { type Routes, reachesCanary, weight } from '../../api/routes.ts';
import type { Seen } from '../context.ts';
import { thresholdOf } from '../judge.ts';
import { nextPromotionWeight } from '../next-weight.ts';
import { comingHome, holdingPrimary, holdingTarget, targetNeed, withoutCapacity } from '../raise.ts';
import { say } from '../reasons.ts';
import { weightOf, withWeight } from '../strategy.ts';
import { decisive, isHeld } from './answer.ts';
import { because, release, tell, who, without } from './change.ts';
import { failure, terminal } from './terminal.ts';

/** How a release ends: taken back, promoted, or a promotion that failed. */
export const ends = {
  rollBack: (seen: Seen) => {
    const isAsked = seen.event.type === 'REQUEST' || seen.event.type === 'STOP';
    const counted = seen.event.type === 'ANSWER' && !isAsked && !isHeld(seen);
    const { failedChecks } = seen.context.release;
    const bare = {
      ...without(seen.context.release, 'heldRoutes', 'awaitedSinceMs', 'gate', 'blindSinceMs', 'paused'),
      failedChecks: failedChecks + (counted ? 1 : 0),
    };
    const reason = failure({
      ...seen,
      context: { ...seen.context, release: { ...seen.context.release, failedChecks: bare.failedChecks } },
    });
    // Asked for by a hook or a person it is no fault of the release, unless its checks had failed already (05-A6, A7).
    const isWanted = isAsked && failedChecks < thresholdOf(seen.event.facts.canary.spec.analysis);
    const ended = terminal(seen, bare, 'Failed', `Release of ${who(seen)} was taken back: ${reason}`, {
      reason: 'Failed',
      severity: isWanted ? 'warn' : 'error',
      verdicts: decisive(seen),
    });
    const isFit = seen.event.facts.primary?.readiness.state === 'ready' && seen.event.facts.primary.serving;
    return { release: because(comingHome(seen, ended, isFit), reason) };
  },
  startPromotion: (seen: Seen) => ({
    ...tell(seen, say('Promoting', `${who(seen)} is promoted: its primary takes the new revision`)),
    release: without(withoutCapacity(seen.context.release), 'gate', 'blindSinceMs', 'paused', 'awaitedSinceMs'),
  }),
  shift: (seen: Seen) => {
    const { facts } = seen.event;
    const left = nextPromotionWeight(facts.canary.spec.analysis, weightOf(seen.context.release.routes));
    const routes = withWeight(seen.context.release.routes, left, facts.canary, facts);
    return {
      ...tell(seen, say('Shifted', `${who(seen)}: ${100 - left}% of traffic is on the promoted primary`)),
      release: { ...(isPrimaryHeld(seen) ? seen.context.release : holdingPrimary(seen, seen.context.release)), routes },
    };
  },
  failPromotion: (seen: Seen) => {
    const { facts } = seen.event;
    const why = facts.primary?.readiness.reason ?? 'it was not ready in time';
    const reason = `the primary could not take the promoted revision: ${why}`;
    const ended = terminal(seen, seen.context.release, 'Failed', `Promotion of ${who(seen)} failed: ${reason}`, {
      reason: 'PromotionFailed',
      severity: 'error',
    });
    const canServe = facts.supports.weights && facts.target?.serving === true;
    const routes: Routes = canServe ? { kind: 'weighted', canary: weight(100) } : ended.routes;
    const held = canServe ? holdingTarget(ended, targetNeed(seen)) : withoutCapacity(ended);
    return {
      ...tell(seen, say('PromotionFailed', reason, { warning: true })),
      release: because({ ...held, routes }, reason),
    };
  },
  succeed: (seen: Seen) => {
    const { release: done } = seen.context;
    const ended = terminal(seen, done, 'Succeeded', `${who(seen)} is promoted and its canary rests`, {
      reason: 'Succeeded',
      severity: 'info',
    });
    return { release: { ...without(withoutCapacity(ended), 'heldPods'), promotedRevision: done.revision, iterations: 0 } };
  },

  acknowledge: (seen: Seen) => {
    const { event, context } = seen;
    if (event.type !== 'DELIVERED') return {};
    const left = (context.release.deliveries ?? []).filter((one) => one.key !== event.key);
    return release(seen, { deliveries: left });
  },
};

function isPrimaryHeld({ context }: Seen): boolean {
  return context.release.capacity?.side === 'primary' || !reachesCanary(context.release.routes);
}
