import type { Release } from '../../api/canary-status.ts';
import { type Routes, reachesCanary, weight } from '../../api/routes.ts';
import type { Seen } from '../context.ts';
import { progressDeadlineMs, settlingMs } from '../deadlines.ts';
import { backNeed, bearableWeight, comingHome, holdingPrimary, holdingStep, holdingTarget, stepNeed, withoutCapacity } from '../raise.ts';
import { say } from '../reasons.ts';
import { homeRoutes, nextMove, weightOf, withWeight } from '../strategy.ts';
import { type Change, now, release, tell, who, without } from './change.ts';

/** Where traffic goes next, and the pods that it needs there. */
export const steps = {
  begin: (seen: Seen): Change => ({
    release: { ...stepping(seen), stepStartedMs: now(seen) },
    open: undefined,
    wakeAtMs: undefined,
  }),
  /** Before `begin`: what follows belongs to the same wait, should the canary fall again (E1). */
  keepClock: (seen: Seen) => release(seen, { awaitedSinceMs: seen.context.release.stepStartedMs }),
  /** After `begin`: a canary that was ready for a moment is waited for no longer than one that never was. */
  resumeClock: (seen: Seen) => ({
    release: {
      ...without(seen.context.release, 'awaitedSinceMs'),
      stepStartedMs: seen.context.release.awaitedSinceMs ?? seen.context.release.stepStartedMs,
    },
  }),

  takeStep: (seen: Seen) => {
    const { facts } = seen.event;
    const move = nextMove(seen.context.release, facts.canary, facts);
    if (move.kind === 'promote') return {};
    const what = describe(move.routes, move.iterations);
    return {
      ...tell(seen, say('Stepped', `${who(seen)}: ${what}`)),
      release: {
        ...without(holdingStep(seen, seen.context.release, stepNeed(seen)), 'gate', 'awaitedSinceMs'),
        routes: move.routes,
        iterations: move.iterations,
        wakeAtMs: now(seen) + facts.intervalMs,
      },
    };
  },
  goHome,
  /** The primary is raised before it gets more (E60): to what the sides that carry the load have now. */
  raisePrimary: (seen: Seen) => ({ release: holdingPrimary(seen, seen.context.release) }),
  /** The same for a primary whose promoted revision is complete: only then its present pods prove anything. */
  raisePromoted: (seen: Seen) => {
    const held = holdingPrimary(seen, seen.context.release);
    const had = seen.event.facts.primary?.readiness.ready ?? 0;
    return { release: held.capacity ? { ...held, capacity: { ...held.capacity, had } } : held };
  },
  raiseTarget: (seen: Seen) => ({ release: holdingTarget(seen.context.release, stepNeed(seen)), open: undefined }),
  raiseToGiveBack: (seen: Seen) => ({ release: holdingTarget(seen.context.release, backNeed(seen)) }),
  noteReached: (seen: Seen) => {
    const { capacity } = seen.context.release;
    if (!capacity) return {};
    return {
      ...release(seen, { capacity: { ...capacity, reachedMs: now(seen) } }),
      wakeAtMs: now(seen) + settlingMs(capacity.side, seen.event.facts.scaleDownDelayMs),
    };
  },
  noteLost: (seen: Seen) => {
    const { reachedMs: _, ...capacity } = seen.context.release.capacity ?? { side: 'primary', pods: 0 };
    return { ...release(seen, { capacity }), wakeAtMs: seen.context.release.stepStartedMs + progressDeadlineMs(seen.event.facts.canary) };
  },
  /** As much as the pods that are ready can bear (E31). */
  returnSome: (seen: Seen) => {
    const { facts } = seen.event;
    const { routes } = seen.context.release;
    return release(seen, { routes: withWeight(routes, bearableWeight(seen) ?? weightOf(routes), facts.canary, facts) });
  },
  comeHome: (seen: Seen) => ({ release: comingHome(seen, seen.context.release, true) }),
  forgetCapacity: (seen: Seen) => ({ release: without(withoutCapacity(seen.context.release), 'heldPods', 'stoppedPods') }),
  /** A target that is at zero already keeps the note of before. */
  noteStopped: (seen: Seen) => {
    const stoppedPods = seen.event.facts.target?.replicas ?? 0;
    return stoppedPods > 0 ? release(seen, { stoppedPods }) : {};
  },
  holdBack: (seen: Seen) => ({
    ...tell(seen, say('CanaryDown', `Canary of ${who(seen)} has no serving pods; its traffic goes to the primary`, { warning: true })),
    release: {
      ...(reachesCanary(seen.context.release.routes) ? holdingPrimary(seen, seen.context.release) : withoutCapacity(seen.context.release)),
      heldRoutes: seen.context.release.routes,
      routes: homeKeepingCookies(seen.context.release.routes),
    },
  }),
  giveBack: (seen: Seen) => {
    const { heldRoutes, routes } = seen.context.release;
    return {
      ...tell(seen, say('CanaryBack', `Canary of ${who(seen)} serves again and has its traffic back`)),
      release: {
        ...withoutCapacity(without(seen.context.release, 'heldRoutes', 'awaitedSinceMs')),
        routes: heldRoutes ?? routes,
        wakeAtMs: now(seen) + seen.event.facts.intervalMs,
      },
    };
  },
};

/** Why a release failed stays until the next one starts; any other reason ends with its step. */
function stepping({ context }: Seen): Release {
  return context.recorded?.phase === 'Failed' ? without(context.release, 'wakeAtMs') : without(context.release, 'reason', 'wakeAtMs');
}

function goHome(seen: Seen): Change {
  const { release: now } = seen.context;
  const held = now.capacity?.side === 'primary' || !reachesCanary(now.routes) ? now : holdingPrimary(seen, now);
  return { release: { ...held, routes: homeRoutes(now.routes) } };
}

/** Held back is not the end of a release: its cookies stay valid for when it returns. */
function homeKeepingCookies(routes: Routes): Routes {
  return reachesCanary(routes) || routes.kind === 'mirrored' ? { kind: 'weighted', canary: weight(0) } : routes;
}

function describe(routes: Routes, iterations: number): string {
  if (routes.kind === 'mirrored') return `a copy of ${routes.share}% of requests goes to the canary`;
  if (routes.kind === 'matched') return `matching requests go to the canary, iteration ${iterations}`;
  return iterations > 0 && routes.canary === 0 ? `iteration ${iterations}` : `canary weight is now ${routes.canary}%`;
}
