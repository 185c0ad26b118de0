import { isHalted } from '../conditions/hold-ups.ts';
import { hasRaisedTarget, isAllToPrimary, isGivenLess, isTargetDown } from '../conditions/sides.ts';
import { isLate } from '../conditions/time.ts';
import { settlingMs } from '../deadlines.ts';
import { failsAtMs } from '../failing.ts';
import type { Standing } from '../wait.ts';
import { earliest } from '../wakes.ts';
import { noRoom } from './awaited-side.ts';
import { waiting } from './interruptions.ts';
import { anew, stay, takeStep, withdraw } from './moves.ts';
import { capacityChange, extended } from './shared-deciders.ts';
import { deadline, deadlineMs, saying, since } from './standing.ts';
import { raised } from './words.ts';

/**
 * Traffic of the next step must find pods: the target's scaler has sized it for its present weight (E60, E62). If the scaler gives fewer, the step is taken
 * with those (E102).
 */
export const raising = waiting({
  enter: ['wakeInRaise'],
  decide: {
    first(input) {
      if (!isTargetDown(input)) return capacityChange(input);
      return isAllToPrimary(input) && input.context.release.iterations === 0 ? 'fallBack' : 'withdrawTraffic';
    },
    facts(input) {
      if ((!isHalted(input) && hasRaisedTarget(input)) || isGivenLess(input)) return 'step';
      if (isLate(input) && !hasRaisedTarget(input)) return 'rollBack';
      return extended(input);
    },
  },
  moves: {
    fallBack: anew('forgetCapacity'),
    withdrawTraffic: withdraw('Progressing', 'withdrawTraffic'),
    noteLost: stay('noteLost'),
    noteReached: stay('noteReached'),
    step: takeStep,
    extend: stay('wakeInRaise'),
  },
  awaits: ['roomForTarget'],
  waits: (standing, dueMs) =>
    saying(
      knownMs(standing) === undefined
        ? `Waiting ${since(standing)} for the pods of the next step${raised(standing.facts.target, standing)}. The release is rolled back at ${deadline(standing)}; add capacity to the cluster before that.`
        : `Waiting ${since(standing)} for the proxies to learn of the pods of the next step${raised(standing.facts.target, standing)}.`,
      noRoom(standing, 'target', dueMs),
    ),
  dueMs: (standing) => earliest([knownMs(standing) ?? deadlineMs(standing), failsAtMs(standing.release, standing.facts)]),
});

/** Time at which the proxies know all pods of the step; undefined while pods are missing, or while something else holds the step. */
function knownMs({ release: { capacity }, facts }: Standing): number | undefined {
  const { target, unconfirmed, unroutable, refused, scaleDownDelayMs } = facts;
  const isShort = capacity?.reachedMs === undefined || (target?.readiness.ready ?? 0) < capacity.pods;
  if (isShort || unconfirmed !== undefined || unroutable !== undefined || refused !== undefined) return undefined;
  return (capacity.reachedMs ?? 0) + settlingMs('target', scaleDownDelayMs);
}
