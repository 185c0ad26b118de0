import type { NewBlocker } from '../../api/blocker.ts';
import type { ObjectRef } from '../../api/kube-object.ts';
import { type Undoing, undoneText } from '../objects/healing-brake.ts';

/** Result of a write, or of several in a row. */
export interface Outcome {
  /** The cluster holds what was desired: it was found so, or a write was answered so. */
  converged: boolean;
  /** Something was written, so that the facts might have changed. */
  wrote: boolean;
  /** A delayed write can be made after this time. */
  retryInMs?: number | undefined;
  /** The routes are written by an earlier spec, since those of this one were refused: why. */
  refused?: NewBlocker | undefined;
  /** The routes in force are not the recorded ones, and nothing else is left to do. */
  unconfirmed?: NewBlocker | undefined;
  /** Reason that keeps the routes from sending a share to the canary, or from being written at all (E96). */
  unroutable?: NewBlocker | undefined;
  /** Error to throw when the writes that are possible are made. */
  problem?: unknown;
}

/** The cluster holds it already. */
export const HELD: Outcome = { converged: true, wrote: false };
export const WRITTEN: Outcome = { converged: true, wrote: true };
/** Still differs from the desired state. */
export const PENDING: Outcome = { converged: false, wrote: false };

/** Written, and in force only when the watch shows it. */
export const CHANGED: Outcome = { converged: false, wrote: true };

export const retryIn = (ms: number): Outcome => ({ ...PENDING, retryInMs: ms });

/** A correction that waits under the brake. No other write waits for it, nor a check or a rollback (I18). */
export const paused = (ms: number): Outcome => ({ ...HELD, retryInMs: ms });

/** The same where users reach the sides by other routes than the recorded ones: what would advance waits (E63). */
export const pausedRoute = (ms: number, object: ObjectRef, undoing: Undoing): Outcome => ({
  ...retryIn(ms),
  unconfirmed: {
    code: undoing.by === 'another' ? 'RouteContested' : 'RouteUnconfirmed',
    object,
    detail: `${object.kind} ${object.name}: ${undoneText(undoing)}`,
  },
});

const isWritten = ({ converged, unconfirmed }: Outcome): boolean => converged || unconfirmed !== undefined;

/** The outcome of one write after others. The soonest retry counts, and only a lack of confirmation with nothing else open is one. */
export function combined(before: Outcome, next: Outcome): Outcome {
  const retryInMs = Math.min(before.retryInMs ?? Number.POSITIVE_INFINITY, next.retryInMs ?? Number.POSITIVE_INFINITY);
  return {
    converged: before.converged && next.converged,
    wrote: before.wrote || next.wrote,
    retryInMs: Number.isFinite(retryInMs) ? retryInMs : undefined,
    refused: next.refused ?? before.refused,
    unconfirmed: isWritten(before) && isWritten(next) ? (before.unconfirmed ?? next.unconfirmed) : undefined,
    unroutable: next.unroutable ?? before.unroutable,
    problem: next.problem ?? before.problem,
  };
}
