import { type Routes, reachesCanary, weight } from '../../api/routes.ts';
import { isEndedByFailing } from '../conditions/failing.ts';
import type { Input } from '../context.ts';
import { thresholdOf } from '../judge.ts';
import { nextPromotionWeight } from '../next-weight.ts';
import { holdingPrimary, holdingTarget, returningTraffic, targetNeed, withoutCapacity } from '../raise.ts';
import { say } from '../reasons.ts';
import { weightOf, withWeight } from '../strategy.ts';
import { decisive, isHeld, judgementOf } from './answer.ts';
import { announce, because, release, who, without } from './change.ts';
import { failure, terminal } from './terminal.ts';

/** How a release ends: rolled back, promoted, or a promotion that failed. */
export const ends = {
  rollBack: (input: Input) => {
    const isAsked = input.event.type === 'REQUEST' || (input.event.type === 'STOP' && 'webhook' in input.event.by);
    // A canary that is found worse than the primary has not failed a check.
    const isJudged = input.event.type === 'ANSWER' && !isHeld(input) && judgementOf(input)?.outcome !== 'passed';
    const counted = isJudged || isEndedByFailing(input);
    const { failedChecks } = input.context.release;
    const bare = {
      ...without(input.context.release, 'heldRoutes', 'awaitedSinceMs', 'gate', 'blindSinceMs', 'paused', 'failing'),
      failedChecks: failedChecks + (counted ? 1 : 0),
    };
    const reason = failure(input, bare.failedChecks);
    // Asked for by a hook or a user it is not a fault of the release, unless its checks had failed already (05-A6, A7).
    const isWanted = isAsked && failedChecks < thresholdOf(input.event.facts.canary.spec.analysis);
    const ended = terminal(input, bare, 'Failed', `Rolled back ${who(input)}: ${reason}`, {
      reason: 'Failed',
      severity: isWanted ? 'warn' : 'error',
      verdicts: decisive(input),
    });
    const isFit = input.event.facts.primary?.readiness.state === 'ready' && input.event.facts.primary.serving;
    return { release: because(returningTraffic(input, ended, isFit), reason) };
  },
  startPromotion: (input: Input) => ({
    ...announce(input, say('Promoting', `${who(input)} is promoted: its primary takes the new revision`)),
    release: without(withoutCapacity(input.context.release), 'gate', 'blindSinceMs', 'paused', 'awaitedSinceMs'),
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
    const why = facts.primary?.readiness.reason ?? 'it was not ready in time';
    const reason = `the primary could not take the promoted revision: ${why}`;
    const ended = terminal(input, without(input.context.release, 'failing'), 'Failed', `Promotion of ${who(input)} failed: ${reason}`, {
      reason: 'PromotionFailed',
      severity: 'error',
    });
    const canServe = facts.supports.weights && facts.target?.serving === true;
    const routes: Routes = canServe ? { kind: 'weighted', canary: weight(100) } : ended.routes;
    const held = canServe ? holdingTarget(ended, targetNeed(input)) : withoutCapacity(ended);
    return {
      ...announce(input, say('PromotionFailed', reason, { warning: true })),
      release: because({ ...held, routes }, reason),
    };
  },
  succeed: (input: Input) => {
    const { release: done } = input.context;
    const ended = terminal(input, done, 'Succeeded', `${who(input)} is promoted: its primary receives all traffic`, {
      reason: 'Succeeded',
      severity: 'info',
    });
    return { release: { ...without(withoutCapacity(ended), 'heldPods', 'failing'), promotedRevision: done.revision, iterations: 0 } };
  },

  acknowledge: (input: Input) => {
    const { event, context } = input;
    if (event.type !== 'DELIVERED') return {};
    const left = (context.release.deliveries ?? []).filter((one) => one.key !== event.key);
    return release(input, { deliveries: left });
  },
};

function isPrimaryHeld({ context }: Input): boolean {
  return context.release.capacity?.side === 'primary' || !reachesCanary(context.release.routes);
}
