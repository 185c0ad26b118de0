import type { Routes } from '../../api/routes.ts';
import type { DesiredState } from '../../engine/desired-state.ts';
import type { Facts } from '../../engine/facts.ts';
import type { ServiceRole } from '../../routers/services.ts';

export type SideName = 'primary' | 'target';

export type OrderedWrite =
  | { kind: 'services'; roles: readonly ServiceRole[]; apexOnPrimary: boolean }
  /** Objects that the pods of either side need before they can start. */
  | { kind: 'prerequisites' }
  /** Objects of the primary's pods beside those of the target's. */
  | { kind: 'companions' }
  | { kind: 'followers' | 'canary' | 'primary' | 'scalers' | 'resumeScaler' | 'startTarget' }
  | { kind: 'keepMark'; isKept: boolean }
  /** Up to what a release needs of a side, and never down. */
  | { kind: 'raise'; side: SideName; replicas: number | undefined; atLeast: number | undefined }
  | { kind: 'scale'; side: SideName; replicas: number }
  | { kind: 'routes'; routes: Routes }
  /** Skipped unless everything before it holds. */
  | { kind: 'pauseScaler' | 'stopTarget'; whenConverged: true };

/** Objects that the writes are made from. */
export interface WriteSources {
  hasTarget: boolean;
  /** Services and routes can be rendered. */
  hasApex: boolean;
  /** Annotated to outlive its Canary. */
  isKept: boolean;
}

/**
 * The writes that bring the cluster to the desired state, in the order that keeps users served: companions and Services before the workloads that they select,
 * capacity before traffic, traffic before scaling down (I5). A write that already holds is skipped when it is applied, so a crash between any two of them is
 * healed by the next reconcile.
 */
export function orderedWrites(desired: DesiredState, facts: Facts, found: WriteSources): readonly OrderedWrite[] {
  return [...foundations(desired, found), ...capacity(desired, facts, found), ...traffic(desired, found), ...scaleDown(desired, facts)];
}

function* foundations({ apexOnPrimary }: DesiredState, { hasTarget, hasApex, isKept }: WriteSources): Generator<OrderedWrite> {
  if (!hasApex) return;
  // First of all: if a vital companion is refused, nothing else has been written (I17).
  yield { kind: 'companions' };
  // An apex that is gone once the primary has it is made again at its turn: on the target it would lead to no pod, or to the canary.
  yield { kind: 'services', roles: apexOnPrimary ? ['primary', 'canary'] : ['primary', 'canary', 'apex'], apexOnPrimary: false };
  yield { kind: 'prerequisites' };
  // The copy is written before the primary, whose template is then recorded for rollbacks: a copy that the cluster refuses must be known by then.
  if (hasTarget) yield { kind: 'canary' };
  if (hasTarget) yield { kind: 'primary' };
  // A mark on a target that is gone still counts.
  if (hasTarget || isKept) yield { kind: 'keepMark', isKept };
}

function* capacity(desired: DesiredState, { primary, target }: Facts, { hasTarget }: WriteSources): Generator<OrderedWrite> {
  const { atLeast } = desired;
  yield { kind: 'scalers' };
  yield { kind: 'raise', side: 'primary', replicas: primary?.replicas, atLeast: atLeast.primary };
  if (desired.primary === 'up' && primary?.replicas === 0)
    yield { kind: 'scale', side: 'primary', replicas: Math.max(1, target?.replicas ?? 1) };
  if (desired.target === 'up') yield { kind: 'resumeScaler' };
  if (desired.target === 'up' && hasTarget && target?.replicas === 0) yield { kind: 'startTarget' };
  else if (hasTarget) yield { kind: 'raise', side: 'target', replicas: target?.replicas, atLeast: atLeast.target };
}

function* traffic({ apexOnPrimary, routes }: DesiredState, { hasApex }: WriteSources): Generator<OrderedWrite> {
  if (hasApex && apexOnPrimary) yield { kind: 'services', roles: ['apex'], apexOnPrimary };
  if (hasApex && apexOnPrimary) yield { kind: 'followers' };
  if (hasApex && routes) yield { kind: 'routes', routes };
}

/** Its scaler is paused before the target is scaled, and neither before the traffic has gone. */
function* scaleDown(desired: DesiredState, { target }: Facts): Generator<OrderedWrite> {
  if (desired.target === 'zero' || desired.target === 'idle') yield { kind: 'pauseScaler', whenConverged: true };
  if (desired.target === 'zero' && (target?.replicas ?? 0) > 0) yield { kind: 'stopTarget', whenConverged: true };
}
