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
  waits: (standing, dueMs) => saying(sentence(standing), noRoom(standing, 'target', dueMs)),
  dueMs: (standing) => earliest([knownMs(standing) ?? deadlineMs(standing), failsAtMs(standing.release, standing.facts)]),
});

function sentence(standing: Standing): string {
  const pods = `the pods of the next step${raised(standing.facts.target, standing)}`;
  if (knownMs(standing) !== undefined) return `Waiting ${since(standing)} for the proxies to learn of ${pods}.`;
  const end = `The release is rolled back at ${deadline(standing)}`;
  if (isShort(standing)) return `Waiting ${since(standing)} for ${pods}. ${end}; add capacity to the cluster before that.`;
  return `Waiting ${since(standing)} for the next step, whose pods are ready. ${end} if that lasts.`;
}

const isShort = ({ release: { capacity }, facts: { target } }: Standing): boolean =>
  capacity?.reachedMs === undefined || (target?.readiness.ready ?? 0) < capacity.pods;

/** Time at which the proxies know all pods of the step; undefined while pods are missing, or while something else holds the step. */
function knownMs(standing: Standing): number | undefined {
  const { capacity } = standing.release;
  const { unconfirmed, unroutable, refused, scaleDownDelayMs } = standing.facts;
  if (isShort(standing) || unconfirmed !== undefined || unroutable !== undefined || refused !== undefined) return undefined;
  return (capacity?.reachedMs ?? 0) + settlingMs('target', scaleDownDelayMs);
}
