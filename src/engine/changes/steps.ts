import type { Release } from '../../api/canary-status.ts';
import { type Routes, reachesCanary, weight } from '../../api/routes.ts';
import type { Input } from '../context.ts';
import { progressDeadlineMs, settlingMs } from '../deadlines.ts';
import { passedBy } from '../judge-checks.ts';
import {
  backNeed,
  bearableWeight,
  holdingPrimary,
  holdingStep,
  holdingTarget,
  returningTraffic,
  stepNeed,
  withoutCapacity,
} from '../raise.ts';
import { say } from '../reasons.ts';
import { nextMove, routesToPrimary, weightOf, withWeight } from '../strategy.ts';
import { announce, because, type ContextPatch, now, release, who, without } from './change.ts';

/** The next routes, and the pods that they need. */
export const steps = {
  begin: (input: Input): ContextPatch => ({
    release: { ...without(stepping(input), 'gateClosed'), stepStartedMs: now(input) },
    open: undefined,
    contest: undefined,
    misled: undefined,
    wakeAtMs: undefined,
  }),
  /** Runs before `begin`: the next step belongs to the same wait, should the canary fall again (E1). */
  keepClock: (input: Input) => release(input, { awaitedSinceMs: input.context.release.stepStartedMs }),
  /** Runs after `begin`: a canary that was ready for a moment is waited for no longer than a canary that never was. */
  resumeClock: (input: Input) => ({
    release: {
      ...without(input.context.release, 'awaitedSinceMs'),
      stepStartedMs: input.context.release.awaitedSinceMs ?? input.context.release.stepStartedMs,
    },
  }),

  takeStep: (input: Input) => {
    const { facts } = input.event;
    const move = nextMove(input.context.release, facts.canary, facts);
    if (move.kind === 'promote') return {};
    const reason = isIteration(move.routes, move.iterations) ? 'IterationAdvanced' : 'WeightAdvanced';
    return {
      ...announce(input, say(reason, `${who(input)}: ${describe(move.routes, move.iterations)}${passedBy(input.context.release)}`)),
      release: {
        ...without(holdingStep(input, input.context.release, stepNeed(input)), 'gate', 'awaitedSinceMs'),
        routes: move.routes,
        iterations: move.iterations,
        wakeAtMs: now(input) + facts.intervalMs,
      },
    };
  },
  routeToPrimary,
  /** The primary is scaled up before it gets more traffic (E60): to the pods of the sides that carry the load now. */
  raisePrimary: (input: Input) => ({ release: holdingPrimary(input, input.context.release) }),
  /** The same for a primary whose promoted revision is complete: only then are its present pods evidence. */
  raisePromoted: (input: Input) => {
    const held = holdingPrimary(input, input.context.release);
    const had = input.event.facts.primary?.readiness.ready ?? 0;
    return { release: held.capacity ? { ...held, capacity: { ...held.capacity, had } } : held };
  },
  raiseTarget: (input: Input) => ({ release: holdingTarget(input.context.release, stepNeed(input)), open: undefined }),
  raiseToRecover: (input: Input) => ({ release: holdingTarget(input.context.release, backNeed(input)) }),
  noteReached: (input: Input) => {
    const { capacity } = input.context.release;
    if (!capacity) return {};
    return {
      ...release(input, { capacity: { ...capacity, reachedMs: now(input) } }),
      wakeAtMs: now(input) + settlingMs(capacity.side, input.event.facts.scaleDownDelayMs),
    };
  },
  noteLost: (input: Input) => {
    const { reachedMs: _, ...capacity } = input.context.release.capacity ?? { side: 'primary', pods: 0 };
    return {
      ...release(input, { capacity }),
      wakeAtMs: input.context.release.stepStartedMs + progressDeadlineMs(input.event.facts.canary),
    };
  },
  /** The largest weight for which enough pods are ready (E31). */
  routeSome: (input: Input) => {
    const { facts } = input.event;
    const { routes } = input.context.release;
    return release(input, { routes: withWeight(routes, bearableWeight(input) ?? weightOf(routes), facts.canary, facts) });
  },
  returnTraffic: (input: Input) => ({ release: returningTraffic(input, input.context.release, true) }),
  forgetCapacity: (input: Input) => ({ release: without(withoutCapacity(input.context.release), 'heldPods', 'stoppedPods') }),
  /** A target that is at zero already keeps the earlier note. */
  noteStopped: (input: Input) => {
    const stoppedPods = input.event.facts.target?.replicas ?? 0;
    return stoppedPods > 0 ? release(input, { stoppedPods }) : {};
  },
  withdrawTraffic: (input: Input) => ({
    ...announce(
      input,
      say('CanaryUnavailable', `Canary of ${who(input)} has no serving pods; its traffic is routed to the primary`, { warning: true }),
    ),
    release: {
      ...(reachesCanary(input.context.release.routes)
        ? holdingPrimary(input, input.context.release)
        : withoutCapacity(input.context.release)),
      heldRoutes: input.context.release.routes,
      routes: routedToPrimary(input.context.release.routes),
    },
  }),
  restoreTraffic: (input: Input) => {
    const { heldRoutes, routes } = input.context.release;
    return {
      ...announce(input, say('CanaryRecovered', `Canary of ${who(input)} serves again and receives its traffic again`)),
      release: {
        ...withoutCapacity(without(input.context.release, 'heldRoutes', 'awaitedSinceMs')),
        routes: heldRoutes ?? routes,
        wakeAtMs: now(input) + input.event.facts.intervalMs,
      },
    };
  },
};

/** The reason for a failed release stays until the next one starts, also if something else is refused meanwhile; any other reason ends with its step. */
function stepping({ context: { recorded, release: known } }: Input): Release {
  const isAnalysed = recorded?.phase === 'Progressing' || recorded?.phase === 'WaitingPromotion';
  // A promotion that returned to its analysis has decided nothing.
  if (isAnalysed) return without(known, 'reason', 'wakeAtMs', 'ending');
  if (recorded?.phase !== 'Failed') return without(known, 'reason', 'wakeAtMs');
  const left = without(known, 'wakeAtMs');
  return left.ending ? because(left, left.ending.detail) : left;
}

function routeToPrimary(input: Input): ContextPatch {
  const { release: now } = input.context;
  const held = now.capacity?.side === 'primary' || !reachesCanary(now.routes) ? now : holdingPrimary(input, now);
  return { release: { ...held, routes: routesToPrimary(now.routes) } };
}

/** A canary that becomes unavailable does not end a release: its cookies stay valid for its recovery. */
function routedToPrimary(routes: Routes): Routes {
  return reachesCanary(routes) || routes.kind === 'mirrored' ? { kind: 'weighted', canary: weight(0) } : routes;
}

/** False for the last step of a blue/green release, which gives the canary all traffic. */
function isIteration(routes: Routes, iterations: number): boolean {
  return iterations > 0 && weightOf(routes) === 0;
}

function describe(routes: Routes, iterations: number): string {
  if (routes.kind === 'mirrored') return `a copy of ${routes.share}% of requests goes to the canary`;
  if (routes.kind === 'matched') return `matching requests go to the canary, iteration ${iterations}`;
  return isIteration(routes, iterations) ? `iteration ${iterations}` : `canary weight is now ${routes.canary}%`;
}
