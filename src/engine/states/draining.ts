import { hasReadConfigs, hasStalePods, isNewAndFree } from '../conditions/revision.ts';
import { isDrained } from '../conditions/sides.ts';
import { hasDrained } from '../conditions/time.ts';
import type { Input } from '../context.ts';
import { arePodsKept } from '../sides.ts';
import type { Standing } from '../wait.ts';
import { next, shared, stay, toRest } from './moves.ts';
import { awaitedPrimary, failedPromotion } from './shared-deciders.ts';
import { drained, drainedMs, saying, since } from './standing.ts';
import { type Decider, type State, state, stateWithin } from './state.ts';
import { ended, lacks } from './words.ts';

const advance: Decider<'advance'> = (input) => (isDrained(input) ? 'advance' : undefined);

/** The next revision needs the pods that would be stopped, so it does not wait for their scale-down (E50a). */
const overtaken =
  (isStale: (input: Input) => boolean): Decider<'advance' | 'start' | 'startAfterRecycling'> =>
  (input) => {
    if (!isNewAndFree(input)) return advance(input);
    return isStale(input) ? 'startAfterRecycling' : 'start';
  };

/** Pods that have lost their traffic are kept: proxies learn of routes late (E5). */
const kept = {
  enter: ['wakeAfterDrain'],
  awaits: ['itself'],
  waits(standing) {
    const { canary, phase, release, facts } = standing;
    const until = arePodsKept(facts)
      ? `${since(standing)}: the primary does not serve${lacks(facts.primary, 'primary')}`
      : `until ${drained(standing)}, when the proxies know the new routes`;
    const failed = phase === 'Failed' ? `${ended(standing)}. ` : '';
    const again = release.retry === undefined ? '' : ` Then the same revision is released again, as ${release.retry.by} requested.`;
    return saying(`${failed}The pods of ${canary.spec.targetRef.name} are kept ${until}.${again}`);
  },
  dueMs: (standing: Standing) => (arePodsKept(standing.facts) || standing.facts.unconfirmed ? undefined : drainedMs(standing)),
} satisfies Pick<State, 'enter' | 'awaits' | 'waits' | 'dueMs'>;

/** Drain of the target, after its first primary has taken the traffic. */
export const drainingFirst = state({ ...kept, decide: { facts: advance }, moves: { advance: toRest('Initialized', 'initialize') } });

/** Drain of the canary after its promotion, while the primary can still fail (E44) or roll out (E100). */
export const drainingPromoted = stateWithin(shared.Finalising)({
  ...kept,
  decide: {
    first: failedPromotion,
    // A wake from before a blocker is due, although the step's own time has started over.
    facts: (input) => advance(input) ?? (hasDrained(input) ? awaitedPrimary(input) : undefined),
  },
  moves: { extend: stay('wakeForPrimary'), advance: toRest('Succeeded', 'succeed') },
});

/** After a cancelled release the record has the promoted revision, and not the configs that the pods could have read. */
export const drainingCancelled = state({
  ...kept,
  decide: { facts: overtaken(hasReadConfigs) },
  moves: { ...next, advance: toRest('Succeeded', 'forgetCapacity') },
});

export const drainingFailed = state({
  ...kept,
  decide: { facts: overtaken(hasStalePods) },
  moves: { ...next, advance: toRest('Failed', 'forgetCapacity') },
});
