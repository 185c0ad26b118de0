import type { Canary } from '../api/canary.ts';
import type { CanaryCondition, CanaryStatus, Release } from '../api/canary-status.ts';
import type { Phase } from '../api/phase.ts';
import type { Affinity, Routes } from '../api/routes.ts';
import { defined } from '../base/defined.ts';
import { timestamp } from '../base/timestamp.ts';
import { dueMs } from './due.ts';
import { explainRelease } from './explain.ts';
import type { Facts } from './facts.ts';
import { weightOf } from './strategy.ts';
import { blockersOf, dated } from './waits-of.ts';

/**
 * The whole status of a release: Flagger's fields are a pure projection of what Serin remembers (rules D10–D12).
 * As in Flagger, except that `canaryWeight` is always the true weight and times move only when the phase does.
 */
export function projectStatus(canary: Canary, phase: Phase, release: Release, facts: Facts): CanaryStatus {
  const before = canary.status;
  const at = timestamp(facts.nowMs);
  const isOver = phase === 'Failed' || phase === 'Finalising' || phase === 'Succeeded';
  return {
    phase,
    failedChecks: phase === 'Failed' ? 0 : release.failedChecks,
    canaryWeight: trueWeight(release.routes, facts),
    iterations: isOver ? 0 : release.iterations,
    ...trackedConfigs(release, before),
    lastAppliedSpec: release.revision,
    ...(release.promotedRevision === undefined ? {} : { lastPromotedSpec: release.promotedRevision }),
    lastTransitionTime: before?.phase === phase ? (before.lastTransitionTime ?? at) : at,
    ...cookiesOf(release.heldRoutes ?? release.routes, before),
    conditions: [
      promoted(canary, phase, explainRelease(canary, phase, release, facts), at, facts.refused !== undefined),
      ...(before?.conditions ?? []).filter((one) => one.type !== 'Promoted'),
    ],
    release: remembered(canary, phase, release, facts),
  };
}

/** Where the routes cannot be written, or are contested (E63a), no more than they hold is reported (D10, E96); a weight that was lowered is reported as recorded. */
function trueWeight(recorded: Routes, { converged, blocker, unroutable, unconfirmed, liveRoutes }: Facts): number {
  const isWritable = blocker === undefined && unroutable === undefined && unconfirmed?.code !== 'RouteContested';
  if (converged || isWritable) return weightOf(recorded);
  if (liveRoutes === undefined) return 0;
  return 'unreadable' in liveRoutes ? weightOf(recorded) : Math.min(weightOf(recorded), weightOf(liveRoutes));
}

/** A controller that starts after a suspend was lifted has to know that there was one (E52). */
function remembered(
  canary: Canary,
  phase: Phase,
  { suspended: _, blockers: _before, dueMs: _due, ...release }: Release,
  facts: Facts,
): Release {
  const blockers = dated(blockersOf(canary, phase, release, facts), canary.status?.release?.blockers, facts.nowMs);
  const due = dueMs(canary, phase, release, facts);
  return {
    ...release,
    ...(canary.spec.suspend === true ? { suspended: true } : {}),
    ...(blockers.length === 0 ? {} : { blockers }),
    ...(due === undefined ? {} : { dueMs: due }),
  };
}

/** The checksums of the tracked configs; for a release without them, those of another controller are kept, and ours are removed. */
function trackedConfigs({ configs }: Release, before: CanaryStatus | undefined): Partial<CanaryStatus> {
  if (!configs) return before?.trackedConfigs && !before.release?.configs ? { trackedConfigs: before.trackedConfigs } : {};
  const tracked = Object.entries(configs).flatMap(([key, { checksum }]) => (checksum === undefined ? [] : [[key, checksum] as const]));
  return { trackedConfigs: Object.fromEntries(tracked) };
}

/** `reason` is the phase, as health checks expect; `status` changes only with the phase's meaning. */
function promoted(canary: Canary, phase: Phase, message: string, at: string, isRefused: boolean): CanaryCondition {
  const before = canary.status?.conditions?.find((one) => one.type === 'Promoted');
  const status = truthOf(phase, isRefused);
  const isSame = before?.status === status && before.reason === phase && before.message === message;
  return {
    type: 'Promoted',
    status,
    reason: phase,
    message,
    lastUpdateTime: isSame ? (before.lastUpdateTime ?? at) : at,
    lastTransitionTime: before?.status === status ? (before.lastTransitionTime ?? at) : at,
    observedGeneration: canary.metadata.generation,
  };
}

/** A refused spec is not the serving one, so that health checks must not pass (E107). */
function truthOf(phase: Phase, isRefused: boolean): CanaryCondition['status'] {
  if (phase === 'Initialized' || phase === 'Succeeded') return isRefused ? 'Unknown' : 'True';
  return phase === 'Failed' ? 'False' : 'Unknown';
}

function cookiesOf(routes: Routes, before: CanaryStatus | undefined): Partial<CanaryStatus> {
  const affinity: Affinity = (routes.kind === 'mirrored' ? undefined : routes.affinity) ?? {};
  const previous = affinity.previous ?? before?.previousSessionAffinityCookie;
  return defined({
    sessionAffinityCookie: affinity.canary,
    primarySessionAffinityCookie: affinity.primary,
    previousSessionAffinityCookie: previous,
  });
}
