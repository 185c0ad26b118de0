import { isAllToPrimaryNow, isDrained } from '../conditions/sides.ts';
import { isLate } from '../conditions/time.ts';
import type { Standing } from '../wait.ts';
import { recycling, running } from './interruptions.ts';
import { anew, go, stay, toRest } from './moves.ts';
import { routed } from './shared-deciders.ts';
import { deadline, deadlineMs, drained, saying, since } from './standing.ts';
import { neverDue } from './state.ts';

const changed = ({ canary }: Standing) => `The configs of ${canary.spec.targetRef.name} changed, or could have changed.`;

/** Pods read configs when they start: the present pods have read other configs than those to be analysed (E56), and lose their traffic first. */
export const recycleRouting = running(
  {
    isUnfit: true,
    enter: [],
    decide: { facts: (input) => routed(input) ?? (isAllToPrimaryNow(input) ? 'advance' : undefined) },
    moves: { routeToPrimary: stay('routeToPrimary'), advance: go('Progressing.recycleDraining') },
    awaits: ['itself'],
    waits: (standing) =>
      saying(`${changed(standing)} Waiting ${since(standing)} for its traffic to move to the primary; then its pods are recycled.`),
    dueMs: neverDue,
  },
  recycling,
);

/** In the next step proxies learn of the new routes. */
export const recycleDraining = running(
  {
    isUnfit: true,
    enter: ['wakeAfterDrain'],
    decide: { facts: (input) => (isDrained(input) ? 'advance' : undefined) },
    moves: { advance: go('Progressing.recycleStopping') },
    awaits: ['itself'],
    waits: (standing) =>
      saying(`${changed(standing)} Its pods are recycled at ${drained(standing)}, when the proxies know the new routes.`),
    dueMs: neverDue,
  },
  recycling,
);

/** In the last step the pods stop. If they do not, the release rests: the traffic has long moved, and the next revision must not be analysed on them. */
export const recycleStopping = running(
  {
    isUnfit: true,
    stopsPods: true,
    enter: ['noteStopped', 'wakeAtDeadline'],
    decide: {
      facts(input) {
        const { target, converged } = input.event.facts;
        if (target?.pods === 0 && converged) return 'advance';
        return isLate(input) ? 'giveUp' : undefined;
      },
    },
    moves: { advance: anew('pinUnread'), giveUp: toRest('Failed', 'recordRollback', 'forgetCapacity') },
    awaits: ['itself'],
    waits: (standing) =>
      saying(
        `${changed(standing)} Waiting ${since(standing)}, until ${deadline(standing)} at most, for its pods to stop: pods with the old configs must not be analysed.`,
      ),
    dueMs: deadlineMs,
  },
  recycling,
);
