import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../base/clock.ts';
import type { Credentials } from './access/access.ts';

const COUNTED_MS = 60_000;

/** A secret that cannot be guessed, for URLs, cookies and proofs. */
export const newSecret = (): string => randomBytes(32).toString('base64url');

/** Both halves of a new session. */
export interface NewSession {
  cookie: string;
  proof: string;
}

/**
 * The one-time token and the session that it is exchanged for. The right token is accepted even after wrong ones: no one can lock the user out, and 256 bits
 * are not guessed.
 */
export class Sessions {
  readonly #clock: Clock;
  readonly #wrongAMinute: number;
  #token: string | undefined;
  #session: NewSession | undefined;
  #wrong: number[] = [];

  constructor(token: string, clock: Clock, wrongAMinute: number) {
    this.#token = token;
    this.#clock = clock;
    this.#wrongAMinute = wrongAMinute;
  }

  /** The session of the right token, once. `wrong`: no session. `tooMany`: wrong ones are answered no more for a while. */
  exchange(token: string): NewSession | 'wrong' | 'tooMany' {
    if (this.#token !== undefined && isSame(token, this.#token)) {
      this.#token = undefined;
      this.#session = { cookie: newSecret(), proof: newSecret() };
      return this.#session;
    }
    const nowMs = this.#clock.monotonicMs();
    this.#wrong = this.#wrong.filter((atMs) => nowMs - atMs < COUNTED_MS);
    if (this.#wrong.length >= this.#wrongAMinute) return 'tooMany';
    this.#wrong.push(nowMs);
    return 'wrong';
  }

  hasCookie(cookie = ''): boolean {
    return this.#session !== undefined && isSame(cookie, this.#session.cookie);
  }

  isOpen({ cookie, proof = '' }: Credentials): boolean {
    return this.hasCookie(cookie) && this.#session !== undefined && isSame(proof, this.#session.proof);
  }
}

/** In a time that says nothing of where they differ. */
function isSame(a: string, b: string): boolean {
  const [one, other] = [a, b].map((text) => createHash('sha256').update(text).digest()) as [Buffer, Buffer];
  return timingSafeEqual(one, other);
}
