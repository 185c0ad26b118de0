import type { Step } from '../../bench/at-once/release-log.ts';
import { percentile } from '../../bench/figures.ts';

/** Longer than the default: a renewal every two seconds would be most of the requests of a day. */
export const LEASE_SECONDS = { duration: 60, renewDeadline: 40, retryPeriod: 10 };

/** Ends of a leadership: SIGKILL, SIGTERM, or a process that is halted for longer than its lease lasts. */
export type LeaderChange = 'killed' | 'stopped' | 'halted';

/** Time without a leader, from the end of one until another leads. */
export interface LeaderlessTime {
  change: LeaderChange;
  fromMs: number;
  /** Infinite until another leads. */
  toMs: number;
}

/** Delays of steps over the interval, in milliseconds. */
export interface Lateness {
  steps: number;
  p50: number;
  p99: number;
  max: number;
}

export type LatenessByChange = Record<'calm' | LeaderChange, Lateness>;

/**
 * Lateness of steps in whose time no leader changed (`calm`), and of the others by the change. One measure for all would say how few releases there were: the
 * minute of one killed leader is more than one in a hundred steps of a small run, and disappears in a large one.
 */
export class LatenessRecorder {
  readonly #leaderless: readonly LeaderlessTime[];
  /** Numbers and no steps: they stay on the heap that the soak measures. */
  readonly #late: Record<'calm' | LeaderChange, number[]> = { calm: [], killed: [], stopped: [], halted: [] };

  /** `leaderless`: read at each step. */
  constructor(leaderless: readonly LeaderlessTime[]) {
    this.#leaderless = leaderless;
  }

  note(step: Step): void {
    const { change = 'calm' } = this.#leaderless.find(({ fromMs, toMs }) => fromMs <= step.atMs && toMs >= step.fromMs) ?? {};
    this.#late[change].push(step.lateMs);
  }

  report(): LatenessByChange {
    const { calm, killed, stopped, halted } = this.#late;
    return { calm: latenessOf(calm), killed: latenessOf(killed), stopped: latenessOf(stopped), halted: latenessOf(halted) };
  }
}

/** Zero without a step. */
function latenessOf(late: readonly number[]): Lateness {
  const at = (percent: number) => (late.length === 0 ? 0 : percentile(late, percent));
  return { steps: late.length, p50: at(50), p99: at(99), max: at(100) };
}
