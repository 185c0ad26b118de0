import type { Clock } from '../../base/clock.ts';
import { FairSlots } from '../../server/fair-slots.ts';

/** Bounds of logins. */
export interface LoginLimits {
  /** Logins that are checked at once by the API server or the provider. */
  loginsAtOnce: number;
  /** Checks: so many at once, and so many a second after these. */
  loginBurst: number;
  loginsPerSecond: number;
  /** Logins that wait for their turn. */
  loginsWaiting: number;
}

interface Waiting {
  isGone(): boolean;
  begin(done: (() => void) | undefined): void;
}

/**
 * Logins wait for their turn to be checked: peers take turns, and of one peer the login that has waited longest is next. A failed login never refuses a later
 * one, since all users behind an ingress have its address.
 */
export class LoginTurns {
  readonly #clock: Clock;
  readonly #limits: LoginLimits;
  readonly #waiting: FairSlots<Waiting>;
  #underWay = 0;
  #tokens: number;
  #refilledAtMs: number;
  #forgetTimer: (() => void) | undefined;

  constructor(clock: Clock, limits: LoginLimits) {
    this.#clock = clock;
    this.#limits = limits;
    this.#waiting = new FairSlots(limits.loginsWaiting);
    this.#tokens = limits.loginBurst;
    this.#refilledAtMs = clock.monotonicMs();
  }

  /** Waits for a turn; call the result when it is over. `undefined` if too many others of this peer came after it. A client that `isGone` gets no turn. */
  take(peer: string, isGone: () => boolean): Promise<(() => void) | undefined> {
    return new Promise((begin) => {
      this.#waiting.take({ isGone, begin }, peer)?.begin(undefined);
      this.#serve();
    });
  }

  /** Ends all that wait. */
  stop(): void {
    this.#forgetTimer?.();
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) next.begin(undefined);
  }

  #serve(): void {
    const { loginsAtOnce, loginBurst, loginsPerSecond } = this.#limits;
    const nowMs = this.#clock.monotonicMs();
    this.#tokens = Math.min(loginBurst, this.#tokens + ((nowMs - this.#refilledAtMs) / 1_000) * loginsPerSecond);
    this.#refilledAtMs = nowMs;
    while (this.#underWay < loginsAtOnce && this.#tokens >= 1) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      if (next.isGone()) {
        next.begin(undefined);
        continue;
      }
      this.#tokens -= 1;
      this.#underWay += 1;
      next.begin(() => {
        this.#underWay -= 1;
        this.#serve();
      });
    }
    if (this.#underWay >= loginsAtOnce || this.#waiting.size === 0 || this.#forgetTimer) return;
    this.#forgetTimer = this.#clock.setTimer(Math.ceil(((1 - this.#tokens) / loginsPerSecond) * 1_000), () => {
      this.#forgetTimer = undefined;
      this.#serve();
    });
  }
}
