import { timestamp } from '../../base/timestamp.ts';
import { isUnread } from '../conditions/revision.ts';
import { isAllToPrimaryNow, isTargetReady } from '../conditions/sides.ts';
import { isRolloutLate, rollsOn } from '../conditions/time.ts';
import type { Facts } from '../facts.ts';
import { failsAtMs } from '../failing.ts';
import { isSideReady } from '../sides.ts';
import { earliest } from '../wakes.ts';
import { causeOfSide, notReady } from './awaited-side.ts';
import { waiting } from './interruptions.ts';
import { on, settle, stay } from './moves.ts';
import { routed } from './shared-deciders.ts';
import { comesBy, rolloutMs, saying, since } from './standing.ts';
import { lacks } from './words.ts';

/**
 * The pods of the canary start. They must be ready by the progress deadline (E1, E6), which starts over while their rollout progresses (E100); until then
 * failures also count (E27a). A config that is written before any pod exists is recorded (E56).
 */
export const scalingUp = waiting({
  isUnfit: true,
  enter: ['wakeAtDeadline'],
  decide: {
    first: (input) => (isUnread(input) ? 'pin' : undefined),
    facts(input) {
      const moved = routed(input);
      if (moved) return moved;
      if (isTargetReady(input) && isAllToPrimaryNow(input)) return 'advance';
      if (isRolloutLate(input, 'target') && !isTargetReady(input)) return 'rollBack';
      return rollsOn(input, 'target') ? 'extend' : undefined;
    },
  },
  moves: {
    pin: on('Progressing.scalingUp', 'pinUnread'),
    routeToPrimary: stay('routeToPrimary'),
    advance: settle,
    extend: stay('wakeForTarget'),
  },
  awaits: ['target'],
  waits(standing, dueMs) {
    const { canary, facts } = standing;
    if (isSideReady(facts.target))
      return saying(`The canary is ready. Waiting ${since(standing)} for the routes to send all traffic to the primary.`);
    const ends = dueMs === undefined ? comesBy(standing, facts.target) : timestamp(dueMs);
    return saying(
      `Waiting ${since(standing)} for the canary to be ready${lacks(facts.target, 'target')}. The release is rolled back at ${ends}; fix ${canary.spec.targetRef.name} before that${orLater(facts.target)}.`,
      notReady(standing, 'target', dueMs),
    );
  },
  dueMs(standing) {
    const { release, facts } = standing;
    return isSideReady(facts.target) ? undefined : earliest([rolloutMs(standing, facts.target), failsAtMs(release, facts)]);
  },
});

/** A second remedy, where nothing says that the pods would never be ready. */
function orLater(target: Facts['target']): string {
  const cause = causeOfSide(target);
  return cause === undefined || cause === 'ProbeFails' ? ', or raise spec.progressDeadlineSeconds if it starts slowly' : '';
}
