import type { NewBlocker } from '../api/blocker.ts';
import type { Canary } from '../api/canary.ts';
import type { Release } from '../api/canary-status.ts';
import type { WaitCode } from '../api/codes/codes.ts';
import type { Phase } from '../api/phase.ts';
import type { Facts } from './facts.ts';

/** A release as it stands in a state, recorded or about to be. */
export interface Standing {
  canary: Canary;
  phase: Phase;
  release: Release;
  facts: Facts;
}

/**
 * What a release waits for, as data. Meaning, actor and remedy follow from its code (`api/codes`). Condition, status, `serin why`, dashboard,
 * rehearsal and report render it; none finds it anew.
 */
export interface Wait extends Omit<NewBlocker, 'code'> {
  code: WaitCode;
  /** Epoch milliseconds. */
  sinceMs?: number | undefined;
  /** When the release goes on without it, or is rolled back because of it; epoch milliseconds. Absent: no limit. */
  untilMs?: number | undefined;
}
/** The first one is what the state is about; its text are whole sentences. */
export type Waits = readonly [Wait & { text: string }, ...Wait[]];

/** What can hold a release in a state, as one can look for it in the objects alone. */
export type Awaited =
  /** The primary that Serin makes first, and before it the target. */
  | 'firstPrimary'
  | 'target'
  /** The target, where it is below its ready threshold. */
  | 'shortTarget'
  | 'primary'
  /** A primary that served once and serves no longer. */
  | 'servingPrimary'
  /** Pods that the side needs for its next share. */
  | 'roomForTarget'
  | 'roomForPrimary'
  /** The write of the primary, which something may refuse. */
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
