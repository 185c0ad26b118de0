import { isIPv6 } from 'node:net';
import type { Clock } from '../../api/clock.ts';

const COUNTED_MS = 60_000;

/** Attempts a minute. */
export interface AttemptLimits {
  ofAddress: number;
  inSum: number;
}

/** Counts failed logins by address and in sum. Its memory is bounded by the sum. */
export class Attempts {
  readonly #clock: Clock;
  readonly #limits: AttemptLimits;
  #failed: { address: string; atMs: number }[] = [];

  constructor(clock: Clock, limits: AttemptLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Seconds until this address may try again; undefined: now. */
  waitSeconds(address: string | undefined): number | undefined {
    const nowMs = this.#clock.monotonicMs();
    this.#failed = this.#failed.filter(({ atMs }) => nowMs - atMs < COUNTED_MS);
    const own = this.#failed.filter((one) => one.address === neighbourhood(address));
    const waits = [
      [own, this.#limits.ofAddress],
      [this.#failed, this.#limits.inSum],
    ] as const;
    const untilMs = waits.flatMap(([failed, most]) => (failed.length < most ? [] : [(failed.at(-most)?.atMs ?? nowMs) + COUNTED_MS]));
    return untilMs.length === 0 ? undefined : Math.max(1, Math.ceil((Math.max(...untilMs) - nowMs) / 1_000));
  }

  /** Counts an attempt when it begins: many at once must not all pass. The result takes it back, once the login has succeeded. */
  count(address: string | undefined): () => void {
    const attempt = { address: neighbourhood(address), atMs: this.#clock.monotonicMs() };
    this.#failed.push(attempt);
    return () => {
      this.#failed = this.#failed.filter((one) => one !== attempt);
    };
  }
}

/** A host has a whole /64 of IPv6 to itself. */
function neighbourhood(address = ''): string {
  if (!isIPv6(address) || address.startsWith('::ffff:')) return address;
  const [head = '', tail = ''] = address.split('%')[0]?.split('::') ?? [];
  const groups = head.split(':').filter(Boolean);
  const rest = tail.split(':').filter(Boolean);
  return [...groups, ...Array<string>(Math.max(0, 8 - groups.length - rest.length)).fill('0'), ...rest].slice(0, 4).join(':');
}
