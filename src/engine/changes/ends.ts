import type { Ending } from '../../api/ending.ts';
import { type Routes, reachesCanary, weight } from '../../api/routes.ts';
import { isEndedByFailing } from '../conditions/failing.ts';
import type { Decided, Input } from '../context.ts';
import { withoutDelivery } from '../deliveries.ts';
import { failedPromotionEnding, promotionEnding, rollbackEnding } from '../ending.ts';
import { passedBy, thresholdOf } from '../judge-checks.ts';
import { nextPromotionWeight } from '../next-weight.ts';
import { holdingPrimary, holdingTarget, returningTraffic, targetNeed, withoutCapacity } from '../raise.ts';
import { say } from '../reasons.ts';
import { weightOf, withWeight } from '../strategy.ts';
import { isHeld, isOfGate, judgementOf } from './answer.ts';
import { announce, because, now, who, without } from './change.ts';
import { withEnding } from './listed-messages.ts';

/** Reason for a promotion that an earlier version has begun without recording one. */
const UNSAID: Pick<Ending, 'code' | 'detail'> = { code: 'Succeeded', detail: 'it was promoted' };

/** Ends of a release: rolled back, promoted, or a promotion that failed. */
export const ends = {
  recordRollback: (input: Decided) => {
    const isAborted = input.event.decision === 'abort';
    // A canary that is worse than the primary has not failed a check, nor has a canary whose gate stays closed.
    const isJudged = input.event.type === 'ANSWER' && !isHeld(input) && judgementOf(input)?.outcome !== 'passed' && !isOfGate(input);
    const counted = !isAborted && (isJudged || isEndedByFailing(input));
    const { failedChecks } = input.context.release;
    const bare = {
      ...without(input.context.release, 'heldRoutes', 'awaitedSinceMs', 'gate', 'blindSinceMs', 'paused', 'failing'),
      failedChecks: failedChecks + (counted ? 1 : 0),
    };
    const ending = rollbackEnding(input, bare.failedChecks);
    const isAsked = ending.code === 'RolledBackByUser' || ending.code === 'RolledBackByHook';
    // A rollback on request of a hook or a user is not a fault of the release, unless its checks had failed already.
    const isWanted = isAsked && failedChecks < thresholdOf(input.event.facts.canary.spec.analysis);
    const ended = withEnding(input, bare, 'Failed', ending, { reason: 'Failed', severity: isWanted ? 'warn' : 'error' });
    const isFit = input.event.facts.primary?.readiness.state === 'ready' && input.event.facts.primary.serving;
    return { release: because(returningTraffic(input, ended, isFit), ending.detail) };
  },
  startPromotion: (input: Decided) => ({
    ...announce(input, say('Promoting', `${who(input)} is promoted: its primary takes the new revision${passedBy(input.context.release)}`)),
    release: {
      ...without(withoutCapacity(input.context.release), 'gate', 'blindSinceMs', 'paused', 'awaitedSinceMs'),
      ending: promotionEnding(input),
    },
  }),
  shift: (input: Input) => {
    const { facts } = input.event;
    const left = nextPromotionWeight(facts.canary.spec.analysis, weightOf(input.context.release.routes));
    const routes = withWeight(input.context.release.routes, left, facts.canary, facts);
    return {
      ...announce(input, say('TrafficShifted', `${who(input)}: ${100 - left}% of traffic is on the promoted primary`)),
      release: { ...(isPrimaryHeld(input) ? input.context.release : holdingPrimary(input, input.context.release)), routes },
    };
  },
  failPromotion: (input: Input) => {
    const { facts } = input.event;
    const ending = failedPromotionEnding(input);
    const ended = withEnding(input, without(input.context.release, 'failing'), 'Failed', ending, {
      reason: 'PromotionFailed',
      severity: 'error',
    });
    const canServe = facts.supports.weights && facts.target?.serving === true;
    const routes: Routes = canServe ? { kind: 'weighted', canary: weight(100) } : ended.routes;
    const held = canServe ? holdingTarget(ended, targetNeed(input)) : withoutCapacity(ended);
    return {
      ...announce(input, say('PromotionFailed', ending.detail, { warning: true })),
      release: because({ ...held, routes }, ending.detail),
    };
  },
  succeed: (input: Input) => {
    const { release: done } = input.context;
    const ending: Ending = { ...(done.ending ?? UNSAID), atMs: now(input) };
    const ended = withEnding(input, done, 'Succeeded', ending, { reason: 'Succeeded', severity: 'info' });
    return { release: { ...without(withoutCapacity(ended), 'heldPods', 'failing'), promotedRevision: done.revision, iterations: 0 } };
  },

  dropDelivery: ({ event, context }: Input) => (event.type === 'DELIVERED' ? withoutDelivery(context, event.key) : {}),
};

function isPrimaryHeld({ context }: Input): boolean {
  return context.release.capacity?.side === 'primary' || !reachesCanary(context.release.routes);
}
