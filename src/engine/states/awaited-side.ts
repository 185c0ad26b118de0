import type { BlockedObject } from '../../api/blocker.ts';
import type { Canary } from '../../api/canary.ts';
import type { Cause } from '../../api/codes/codes.ts';
import { isKnative } from '../../api/knative.ts';
import { names } from '../../api/names.ts';
import { defined } from '../../base/defined.ts';
import type { Facts, SideFacts } from '../facts.ts';
import { lastFailing } from '../failing.ts';
import { isPrimaryAwaited } from '../sides.ts';
import type { Standing, Wait } from '../wait.ts';

export function blockedTarget({ spec, metadata: { namespace } }: Canary): BlockedObject {
  const { apiVersion, kind, name } = spec.targetRef;
  return { apiVersion, kind, name, namespace };
}

export function blockedPrimary(canary: Canary): BlockedObject {
  const target = blockedTarget(canary);
  if (isKnative(target)) return target;
  const { primary, primaryService } = names(canary);
  return { ...target, name: target.kind === 'Service' ? primaryService : primary };
}

/** A side whose pods the state waits for; undefined if it has them, or if the target is missing, which holds every state. */
export function notReady(standing: Standing, role: 'target' | 'primary', untilMs: number | undefined): Wait | undefined {
  const { canary, release, facts } = standing;
  const side = facts[role];
  const { state = 'waiting', reason, field } = side?.readiness ?? {};
  if (facts.target === undefined || (side?.serving === true && state === 'ready')) return undefined;
  const failing = role === 'target' ? lastFailing(release, facts) : undefined;
  const detail = [failing, reason].filter((one) => one !== undefined).join('; ') || undefined;
  const object = role === 'target' ? blockedTarget(canary) : blockedPrimary(canary);
  const code = field !== undefined ? 'TargetUnreachable' : state === 'stalled' ? 'RolloutStalled' : 'PodsNotReady';
  const cause = code === 'PodsNotReady' ? causeOfSide(side) : undefined;
  return defined({ code, cause, object, field, sinceMs: release.awaitedSinceMs ?? release.stepStartedMs, untilMs, detail });
}

/** Reason for which a side is not ready, as its workload or one of its pods says. */
export function causeOfSide(side: (SideFacts & Pick<NonNullable<Facts['target']>, 'failing'>) | undefined): Cause | undefined {
  return side?.readiness.cause ?? (side?.failing?.problem ?? side?.problem)?.cause;
}

/** The same, if only the primary holds the release. */
export function primaryNotReady(standing: Standing, untilMs: number | undefined): Wait | undefined {
  return isPrimaryAwaited(standing.release, standing.facts) ? notReady(standing, 'primary', untilMs) : undefined;
}

/** Pods that a side needs for its next weight. */
export function noRoom({ canary, release, facts }: Standing, role: 'target' | 'primary', untilMs: number | undefined): Wait | undefined {
  const { capacity, stepStartedMs: sinceMs } = release;
  if (facts.target === undefined || capacity === undefined || capacity.reachedMs !== undefined) return undefined;
  const object = role === 'target' ? blockedTarget(canary) : blockedPrimary(canary);
  return defined({ code: 'InsufficientCapacity', object, sinceMs, untilMs, detail: facts[role]?.readiness.reason });
}

/** A primary that no longer serves while no release is in progress. */
export function primaryDown({ canary, facts: { primary, target } }: Standing): Wait | undefined {
  if (target === undefined || primary === undefined || primary.serving) return undefined;
  return defined({ code: 'PrimaryUnavailable', object: blockedPrimary(canary), detail: primary.readiness.reason });
}
