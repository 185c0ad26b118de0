import type { NewBlocker } from '../api/blocker.ts';
import type { Canary } from '../api/canary.ts';
import type { Release } from '../api/canary-status.ts';
import type { WaitCode } from '../api/codes/codes.ts';
import type { Phase } from '../api/phase.ts';
import type { Facts } from './facts.ts';

/** A release in a state, recorded or about to be. */
export interface Standing {
  canary: Canary;
  phase: Phase;
  release: Release;
  facts: Facts;
}

/**
 * A wait of a release, as data. Meaning, actor and remedy follow from its code (`api/codes`). Condition, status, `serin why`, dashboard, rehearsal and report
 * render it; none derives it again.
 */
export interface Wait extends Omit<NewBlocker, 'code'> {
  code: WaitCode;
  /** Epoch milliseconds. */
  sinceMs?: number | undefined;
  /** Time at which the release continues without it, or is rolled back because of it; epoch milliseconds. Absent without a limit. */
  untilMs?: number | undefined;
}
/** The first wait describes the state; its text has whole sentences. */
export type Waits = readonly [Wait & { text: string }, ...Wait[]];

/** Possible waits of a release in a state, found only from the objects. */
export type Awaited =
  /** The first primary that Serin makes, and before it the target. */
  | 'firstPrimary'
  | 'target'
  /** The target, if it is below its ready threshold. */
  | 'shortTarget'
  | 'primary'
  /** A primary that served once and no longer serves. */
  | 'servingPrimary'
  /** Pods that the side needs for its next weight. */
  | 'roomForTarget'
  | 'roomForPrimary'
  /** The write of the primary, which can be refused. */
  | 'acceptedPrimary'
  /** The last promoted template in the primary. */
  | 'restoredPrimary'
  /** Hooks that have refused. */
  | 'refusedHooks'
  /** Hooks that have refused, or have not answered yet. */
  | 'hooks'
  | 'checks'
  | 'evidence'
  | 'nextCheck'
  /** A new revision. */
  | 'revision'
  /** A corrected revision, after a failure. */
  | 'correction'
  /** Proxies, or Serin's own next move: within seconds. */
  | 'itself';
