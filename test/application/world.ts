import type { Action, Life, Side } from './life.ts';

/** Result of one path that a request can take. */
export type Answer =
  | { version: string; by: string }
  /** `isPodsFault`: a pod that the request goes to really is down, or was when its proxy last heard of it. */
  | { lost: string; isPodsFault: boolean };

export interface CanaryView {
  name: string;
  uid: string;
  isDeleting: boolean;
  isSuspended: boolean;
  phase: string;
  step: string;
  /** Number of the release; every release has another number. */
  run: number;
  failedChecks: number;
  /** Message of the condition, absent if nothing is contested. */
  contested?: string;
  /** Changes with each move of the release. */
  standing: string;
  /** A condition or a blocker says what keeps it, or its time is not over. */
  isExplained: boolean;
}

/** A pod that was ready and is not. */
export interface PodFailed {
  side: Side;
  how: 'crash' | 'drain';
  atMs: number;
  forMs: number;
}

/** Times of the lives of a world, in milliseconds. */
export interface Pace {
  /** Interval between two checked moments; clients send requests continuously. */
  askMs: number;
  /** A moment that does not come is not waited for any longer. */
  mostAwaitedMs: number;
  /** A release that a push starts no longer rests by then. */
  startsWithinMs: number;
  /** After the last action: the longest pause of the brake is not, but most of what an action causes shows by then. */
  tailMs: number;
  /** Longest time for a release to end after the last action, if it is still in progress after `tailMs`. */
  mostTailMs: number;
  /** Settings of the Canary: the interval of its analysis, and its `progressDeadlineSeconds`. */
  intervalMs: number;
  deadlineMs: number;
  /** Time for which answers can show the earlier state while Serin runs: its reaction, the time to the proxies, and their lag. */
  graceMs: number;
  /** A request that was sent to a pod before its crash was known. */
  crashGraceMs: number;
  /** A crash that comes as the last check is answered is not known to Serin. */
  reactionMs: number;
  /** Time without events after which nothing is written. */
  quietMs: number;
  /** A stalled release must report a reason by then. */
  stallMs: number;
}

/**
 * World of an application, as its users and clients see it. Lives and invariants only know `ApplicationWorld`: the model is one world, a real control plane can
 * be another.
 */
export interface ApplicationWorld {
  readonly pace: Pace;
  /** Milliseconds since the application was created. */
  nowMs(): number;
  pass(ms: number): Promise<void>;
  /** Reports the effect of an action, `undefined` if there was nothing to act on. An action that takes time calls `pass`. */
  act(action: Action, pass: (ms: number) => Promise<void>): Promise<Acted | undefined>;
  /** Every answer that a client may get in this moment, or has got since the last question. */
  ask(): readonly Answer[];
  canaries(): readonly CanaryView[];
  /** The versions in the templates, `undefined` for an object that does not exist. */
  held(): { target: string | undefined; primary: string | undefined };
  /** Percent by destination, of each rule in the routes that Serin writes. */
  shares(): readonly { route: string; percents: readonly number[] }[];
  isSerinUp(): boolean;
  /** Pods that failed since the last question. */
  failed(): readonly PodFailed[];
  /** Writes of Serin since the last question, but for events, leases and journals. */
  written(): readonly string[];
  /** Since the last question, for the history of a break: what became of the objects that lead requests. */
  news(): readonly string[];
  close(): Promise<void>;
}
export type WorldMaker = (life: Life) => Promise<ApplicationWorld>;

/** Effect of an action. */
export interface Acted {
  /** The user has the target run this from now on. */
  pushed?: string;
  /** The application, or a part that clients need, was taken away by its user. */
  isTaken?: boolean;
  isInstalled?: boolean;
  /** Another manager has written what Serin holds. */
  isForeign?: boolean;
  /** It leads users elsewhere, until Serin has corrected it. */
  isLedAway?: boolean;
  isAccepted?: boolean;
  /** The application that was taken away exists again, and counts once it has answered. */
  isRestored?: boolean;
}
