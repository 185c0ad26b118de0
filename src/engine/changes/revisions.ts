import type { Release } from '../../api/canary-status.ts';
import { reachesCanary } from '../../api/routes.ts';
import type { Seen } from '../context.ts';
import { isUnread } from '../guards.ts';
import { withRevision } from '../pin.ts';
import { comingHome, holdingPrimary, podsAtStart, withoutCapacity } from '../raise.ts';
import { say } from '../reasons.ts';
import { homeRoutes } from '../strategy.ts';
import { because, now, pinned, primaryServes, targetName, tell, who, without } from './change.ts';
import { alerting, terminal } from './terminal.ts';

/** Which revision the release is about: bound, begun, superseded or cancelled. */
export const revisions = {
  bindTarget: (seen: Seen) => ({ release: pinned(seen, seen.context.release) }),
  reportLatePrimary: (seen: Seen) => {
    const { canary, target } = seen.event.facts;
    const { kind, name } = canary.spec.targetRef;
    const message =
      target === undefined
        ? `Primary is not made: ${kind} ${name} of spec.targetRef does not exist; create it, or correct spec.targetRef`
        : `Primary of ${kind} ${name} is not ready yet; ${name} keeps serving until it is`;
    return {
      ...tell(seen, say('PrimaryLate', message, { warning: true })),
      release: because(seen.context.release, message),
      wakeAtMs: undefined,
    };
  },
  initialize: (seen: Seen) => {
    const { release: known } = seen.context;
    const { primary, target } = seen.event.facts;
    // What another controller left in the primary is what serves: a target that is something else by now is released (E3).
    const revision = known.promotedRevision ?? primary?.carries ?? target?.revision ?? known.revision;
    const message = `${who(seen)} is initialized: its primary serves`;
    const initialized = { ...withRevision(withoutCapacity(known), revision), promotedRevision: revision };
    return {
      ...tell(seen, say('Initialized', message)),
      release: alerting(seen, initialized, { reason: 'Initialized', severity: 'info', message, isDetailed: true }),
    };
  },

  pin: (seen: Seen) => ({ release: pinned(seen, seen.context.release) }),
  /** No pod has read anything yet, so what there is now is what they will read. */
  pinUnread: (seen: Seen) => (isUnread(seen) ? { release: pinned(seen, seen.context.release) } : {}),
  noteReturn: (seen: Seen) => ({ release: without(pinned(seen, seen.context.release), 'gate', 'paused') }),
  startRun: (seen: Seen) => {
    const message = `New revision of ${targetName(seen)} found, its release begins`;
    const begun = fresh(seen, without(pinned(seen, seen.context.release), 'paused'));
    const othersUntilMs = restingSince(seen);
    const started = { ...begun, ...(othersUntilMs === undefined ? {} : { othersUntilMs }) };
    return {
      ...tell(seen, say('NewRevision', message)),
      release: alerting(seen, started, { reason: 'NewRevision', severity: 'info', message, isDetailed: true }),
    };
  },
  supersede: (seen: Seen) => {
    const { release: old } = seen.context;
    const isNewer = seen.event.facts.target !== undefined && seen.event.facts.target.revision !== old.revision;
    const ended = isNewer ? terminal(seen, old, 'superseded', `A newer revision of ${targetName(seen)} takes the place of this one`) : old;
    return { release: fresh(seen, pinned(seen, ended)), open: undefined, wakeAtMs: undefined };
  },
  cancel: (seen: Seen) => {
    const ended = terminal(seen, seen.context.release, 'cancelled', `${targetName(seen)} is back at the promoted revision`);
    return { release: comingHome(seen, without(pinned(seen, ended), 'heldRoutes', 'gate', 'blindSinceMs', 'paused'), primaryServes(seen)) };
  },
};

function fresh(seen: Seen, from: Release): Release {
  const routes = primaryServes(seen) ? homeRoutes(from.routes) : from.routes;
  // Pods of a revision that nobody has judged get nothing more, so the primary is raised but not waited for.
  const held = podsAtStart(seen, reachesCanary(from.routes) ? holdingPrimary(seen, from) : withoutCapacity(from));
  return {
    ...without(
      held,
      'gate',
      'reason',
      'wakeAtMs',
      'heldRoutes',
      'heldPods',
      'verdicts',
      'preRolloutPassed',
      'awaitedSinceMs',
      'blindSinceMs',
      'recent',
      'failures',
      'measuredFromMs',
      'othersUntilMs',
      'scaledDownUid',
    ),
    run: from.run + 1,
    routes,
    failedChecks: 0,
    iterations: 0,
    startedMs: now(seen),
    stepStartedMs: now(seen),
    confirmed: true,
  };
}

/** The last revision had its last requests when its pods went, and proxies heard of that no later than of a route (E20a). */
function restingSince({ context, event }: Seen): number | undefined {
  if (event.facts.target?.replicas !== 0) return undefined;
  return Math.min(event.facts.nowMs, (context.recorded?.release.stepStartedMs ?? event.facts.nowMs) + event.facts.scaleDownDelayMs);
}
