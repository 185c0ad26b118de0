import { timestamp } from '../../base/timestamp.ts';
import { isConverged } from '../conditions/hold-ups.ts';
import { isGivenLess, isShortOfItsOwn, isTargetReady } from '../conditions/sides.ts';
import { isLate } from '../conditions/time.ts';
import type { Input } from '../context.ts';
import { failsAtMs } from '../failing.ts';
import type { Standing } from '../wait.ts';
import { earliest } from '../wakes.ts';
import { notReady } from './awaited-side.ts';
import { waiting } from './interruptions.ts';
import { type Analysing, on, stay } from './moves.ts';
import { extended } from './shared-deciders.ts';
import { deadline, deadlineMs, saying, since } from './standing.ts';
import type { Decider, State } from './state.ts';
import { lacks, lastFailed } from './words.ts';

/** The canary has no serving pods: it gets no traffic, and keeps step and counters until it recovers (E27). */
export const canaryUnavailable = (phase: Analysing): State =>
  waiting({
    isUnfit: true,
    enter: ['wakeInRaise'],
    decide: {
      facts(input) {
        if (isShortToRecover(input)) return 'raise';
        return (hasRegainedPods(input) ? 'advance' : undefined) ?? late(input);
      },
    },
    moves: {
      raise: stay('raiseToRecover'),
      advance: on(`${phase}.canaryRecovered`, 'keepClock', 'begin'),
      extend: stay('wakeInRaise'),
    },
    awaits: ['target'],
    waits: (standing, dueMs) =>
      saying(
        `The canary is unavailable and gets no traffic ${since(standing)}: ${down(standing)}${lastFailed(standing)}. The release is rolled back at ${dueMs === undefined ? deadline(standing) : timestamp(dueMs)} if it does not recover.`,
        notReady(standing, 'target', dueMs),
      ),
    dueMs: (standing) => earliest([deadlineMs(standing), failsAtMs(standing.release, standing.facts)]),
  });

/** The canary gets the pods for its weight again (E60), or as many as its scaler gives (E102). */
export function hasRegainedPods(input: Input): boolean {
  return isTargetReady(input) && ((isConverged(input) && !isShortOfItsOwn(input)) || isGivenLess(input));
}

export function isShortToRecover(input: Input): boolean {
  return isTargetReady(input) && input.context.release.capacity?.side !== 'target' && isShortOfItsOwn(input);
}

export const late: Decider<'rollBack' | 'extend'> = (input) => (isLate(input) ? 'rollBack' : extended(input));

/** Reason for which a canary that had traffic no longer serves, and the remedy for its owner. */
function down({ canary, facts: { target } }: Standing): string {
  const { kind, name } = canary.spec.targetRef;
  if (target === undefined) return `${kind} ${name} does not exist any more; create it again`;
  if (target.replicas === 0)
    return kind === 'DaemonSet'
      ? `DaemonSet ${name} is scheduled on no node: correct its node selector, affinity or tolerations`
      : `${kind} ${name} was scaled to zero; scale it up`;
  const short = target.readiness.state === 'ready' ? '' : lacks(target, 'target');
  return `none of its pods is ready${short}; fix ${name}`;
}
