import type { User } from '../at-once/control-plane.ts';

/** Names as in the docs. */
export const STRATEGIES = ['canary', 'A/B', 'Blue/Green', 'Blue/Green with mirroring'] as const;
export type Strategy = (typeof STRATEGIES)[number];
export const USERS_FAULTS = ['calm', 'leader killed', 'API server throttled to a tenth', 'Prometheus down'] as const;
export type UsersFault = (typeof USERS_FAULTS)[number];

/** Bad releases at once by one controller, and the requests of their users. */
export interface UsersRound {
  controller: User;
  strategy: Strategy;
  fault: UsersFault;
  atOnce: number;
  /** Milliseconds from the push to the end of the leader, where it was killed. */
  killedAfterMs?: number;
  sent: number;
  /** Failed requests of each release. */
  failed: number[];
  /** Failed requests of all of them, by the reason. */
  reasons: Record<string, number>;
  ends: Record<string, number>;
  /** Median time from the push to the end of a release. */
  wholeMs: number;
}

/** Programs and machine of a run: figures of others are not shown beside its own. */
export interface UsersSetting {
  /** SHA-256 of the entry of the bundle, its first digits: it names its parts by their content. */
  serin: string;
  flagger: string;
  kubernetes: string;
  node: string;
  machine: string;
  requestsASecond: number;
}

export interface RecordedUsers {
  setting: UsersSetting;
  rounds: readonly UsersRound[];
}
