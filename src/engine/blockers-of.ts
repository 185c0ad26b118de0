import { type BlockedObject, type Blocker, bounded, identityOf, MOST_BLOCKERS, type NewBlocker } from '../api/blocker.ts';
import type { Canary } from '../api/canary.ts';
import type { Release } from '../api/canary-status.ts';
import { defined } from '../api/defined.ts';
import { isKnative } from '../api/knative.ts';
import { names } from '../api/names.ts';
import type { Phase } from '../api/phase.ts';
import { timestamp } from '../api/timestamp.ts';
import { evidenceUntilMs } from './comparison/harm.ts';
import { unmeasuredUntilMs } from './deadlines.ts';
import { dueMs, isPrimaryAwaited, uncheckedUntilMs } from './due.ts';
import type { Facts, RefusedEdit, Side } from './facts.ts';
import { lastFailing } from './failing.ts';

/** A blocker with the times that are known of it, in epoch milliseconds. */
export type FoundBlocker = NewBlocker & { sinceMs?: number; untilMs?: number };

/** Reasons for which a release does not go on where it stands, the most urgent one first. What ends by itself within seconds is none. */
export function blockersOf(canary: Canary, phase: Phase, release: Release, facts: Facts): FoundBlocker[] {
  if (canary.spec.suspend === true) return [{ code: 'Suspended', field: 'spec.suspend' }];
  const { refused, blocker, unroutable } = facts;
  const { paused } = release;
  const uncheckedMs = uncheckedUntilMs(phase, release, facts);
  const checks = [...ofChecks(canary, release), ...ofEvidence(canary, release)];
  const sides = ofSides(canary, phase, release, facts);
  // No deadline counts while a Canary is blocked or paused (E9, E71), and none of checks that are not made (E65).
  const isStopped = blocker !== undefined || paused !== undefined;
  return [
    ...(refused ? [{ ...refusedBlocker(refused), ...defined({ untilMs: uncheckedMs }) }] : []),
    ...[blocker, unroutable && undated(unroutable), awaitedRoutes(release, facts)].filter((one) => one !== undefined),
    ...(paused ? [{ code: 'Paused', detail: paused.by, sinceMs: paused.sinceMs } as const] : []),
    ...ofHooks(release),
    ...(isStopped || uncheckedMs !== undefined ? checks.map(withoutUntil) : checks),
    ...(isStopped ? sides.map(withoutUntil) : sides),
  ];
}

/** Routes that are not in force, where something waits for that. Those of an idle Canary that another writer contests are a condition only. */
export function awaitedRoutes({ step }: Release, { unconfirmed }: Facts): NewBlocker | undefined {
  return unconfirmed?.code === 'RouteContested' && step === 'resting' ? undefined : unconfirmed;
}

const withoutUntil = ({ untilMs: _, ...blocker }: FoundBlocker): FoundBlocker => blocker;

/** Its deadline counts from when this process first saw it; the blocker itself may be older. */
const undated = ({ sinceMs: _, ...blocker }: NonNullable<Facts['unroutable']>): NewBlocker => blocker;

export function refusedBlocker({ reason, message, field }: Omit<RefusedEdit, 'uncheckedUntilMs'>): FoundBlocker {
  return defined({ code: reason, field, detail: message });
}

/** As they are stored: what stood before keeps its time, so that nothing is written while nothing changes. */
export function dated(found: readonly FoundBlocker[], before: readonly Blocker[] = [], nowMs: number): Blocker[] {
  const known = new Map(before.map((one) => [identityOf(one), one.since]));
  const all = new Map<string, Blocker>();
  for (const { sinceMs, untilMs, ...one } of found) {
    const blocker = bounded(one);
    const key = identityOf(blocker);
    const since = sinceMs === undefined ? (known.get(key) ?? timestamp(nowMs)) : timestamp(sinceMs);
    if (!all.has(key)) all.set(key, { ...blocker, since, ...(untilMs === undefined ? {} : { until: timestamp(untilMs) }) });
  }
  return [...all.values()].slice(0, MOST_BLOCKERS);
}

/** Types of webhooks that their owner opens; others judge. */
const GATES: ReadonlySet<string> = new Set(['confirm-rollout', 'confirm-traffic-increase', 'confirm-promotion']);

function ofHooks({ refusedBy }: Release): FoundBlocker[] {
  if (refusedBy === undefined) return [];
  const { webhook, type, detail } = refusedBy;
  return [{ code: codeOfHook(type), webhook, detail }];
}

export const codeOfHook = (type: string): 'GateClosed' | 'HookRejected' => (GATES.has(type) ? 'GateClosed' : 'HookRejected');

/** The checks of the last interval that keep it from its next step. */
function ofChecks(canary: Canary, { step, verdicts = [], blindSinceMs }: Release): FoundBlocker[] {
  if (step !== 'analysing') return [];
  const blind = blindSinceMs === undefined ? {} : { sinceMs: blindSinceMs, untilMs: unmeasuredUntilMs(canary, blindSinceMs) };
  const counted = verdicts.filter(({ observed, early }) => observed !== true && early !== true);
  const failed = counted.filter(({ verdict }) => verdict === 'failed');
  const unmeasured = counted.filter(({ verdict }) => verdict === 'unmeasured');
  return [
    ...failed.map(({ check, reason }) => defined({ code: 'CheckFailed', metric: check, detail: reason })),
    ...unmeasured.map(({ check, code = 'Unmeasured', object, field, reason }) =>
      defined({ code, metric: check, object, field, detail: reason, ...blind }),
    ),
  ];
}

/** The comparison with the primary that has not shown enough for the next step (E124). */
function ofEvidence(canary: Canary, release: Release): FoundBlocker[] {
  const { step, awaitedEvidence: metric, reason } = release;
  if (step !== 'analysing' || metric === undefined) return [];
  return [defined({ code: 'InsufficientEvidence', metric, untilMs: evidenceUntilMs(release, canary), detail: reason })];
}

/** Workloads that a step waits for. */
function ofSides(canary: Canary, phase: Phase, release: Release, facts: Facts): FoundBlocker[] {
  const { target, primary } = facts;
  const { step, reason, refusal } = release;
  const [targetRef, primaryRef] = [targetOf(canary), primaryOf(canary)];
  const due = dueMs(canary, phase, release, facts);
  const awaited = (object: BlockedObject, side: Side | undefined) =>
    notReady(object, side, release, due, side === target ? lastFailing(release, facts) : undefined);
  if (target === undefined) return [{ code: 'TargetNotFound', object: targetRef }];
  switch (`${phase}.${step}`) {
    case 'Initializing.creatingPrimary':
      return primary === undefined ? [] : awaited(primaryRef, primary);
    case 'Progressing.scalingUp':
    case 'Progressing.canaryUnavailable':
    case 'WaitingPromotion.canaryUnavailable':
      return awaited(targetRef, target);
    case 'Progressing.raising':
      return noRoom(targetRef, target, release, due);
    case 'Promoting.raising':
      return noRoom(primaryRef, primary, release, due);
    case 'Promoting.awaitingPrimary':
    case 'Failed.servingFromCanary':
    case 'Failed.restoringPrimary':
      return awaited(primaryRef, primary);
    case 'Promoting.writingPrimary':
      if (reason === undefined) return [];
      return [{ code: 'PrimaryRejected', object: primaryRef, detail: reason }, ...(refusal ? [refusal] : [])];
    case 'Progressing.analysing':
    case 'WaitingPromotion.analysing':
      if (release.awaitedSinceMs !== undefined) return awaited(targetRef, target);
      return isPrimaryAwaited(release, facts) ? awaited(primaryRef, primary) : [];
    case 'Progressing.settling':
    case 'Progressing.canaryRecovered':
    case 'WaitingPromotion.canaryRecovered':
      return isPrimaryAwaited(release, facts) ? awaited(primaryRef, primary) : [];
    case 'Initialized.resting':
    case 'Succeeded.resting':
      return [...unobserved(facts, targetRef), ...(primary && !primary.serving ? [primaryDown(primaryRef, primary)] : [])];
    case 'Failed.resting':
      return primary && !primary.serving ? [primaryDown(primaryRef, primary)] : [];
    default:
      return [];
  }
}

function notReady(
  object: BlockedObject,
  side: Side | undefined,
  release: Release,
  untilMs: number | undefined,
  failing: string | undefined,
): FoundBlocker[] {
  const { state = 'waiting', reason } = side?.readiness ?? {};
  if (side?.serving === true && state === 'ready') return [];
  const why = [failing, reason].filter((one) => one !== undefined).join('; ') || undefined;
  const code = state === 'stalled' ? 'RolloutStalled' : 'PodsNotReady';
  return [defined({ code, object, sinceMs: release.awaitedSinceMs ?? release.stepStartedMs, untilMs, detail: why })];
}

function noRoom(object: BlockedObject, side: Side | undefined, release: Release, untilMs: number | undefined): FoundBlocker[] {
  const { capacity, stepStartedMs: sinceMs } = release;
  if (capacity === undefined || capacity.reachedMs !== undefined) return [];
  const { reason } = side?.readiness ?? {};
  return [defined({ code: 'InsufficientCapacity', object, sinceMs, untilMs, detail: reason })];
}

const primaryDown = (object: BlockedObject, { readiness: { reason } }: Side): FoundBlocker =>
  defined({ code: 'PrimaryUnavailable', object, detail: reason });

/** Of a target that something else blocks, that is the reason. */
function unobserved({ target, blocker }: Facts, object: BlockedObject): FoundBlocker[] {
  if (target?.undetermined === undefined || blocker !== undefined) return [];
  return [{ object, ...target.undetermined }];
}

export function targetOf({ spec, metadata: { namespace } }: Canary): BlockedObject {
  const { apiVersion, kind, name } = spec.targetRef;
  return { apiVersion, kind, name, namespace };
}

export function primaryOf(canary: Canary): BlockedObject {
  const target = targetOf(canary);
  if (isKnative(target)) return target;
  const { primary, primaryService } = names(canary);
  return { ...target, name: target.kind === 'Service' ? primaryService : primary };
}
