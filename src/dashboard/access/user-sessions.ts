import { createHash } from 'node:crypto';
import { type Clock, every } from '../../base/clock.ts';
import { type NewSession, newSecret } from '../sessions.ts';
import type { Credentials } from './access.ts';
import type { User } from './user.ts';

/** Open streams must not outlive their session, though no request comes. */
const LOOK_EVERY_MS = 10_000;

/** Times in milliseconds. */
export interface SessionLimits {
  idleMs: number;
  absoluteMs: number;
  /** In total; the least recently used session ends first. */
  most: number;
  mostOfUser: number;
  /** Requests: so many at once, and so many a second after these. */
  burst: number;
  perSecond: number;
}

/** A user who has logged in. */
export class UserSession {
  readonly user: User;
  /** By the monotonic clock. */
  readonly endsAtMs: number;
  readonly proofDigest: string;
  usedAtMs: number;
  readonly #endings = new Set<() => void>();
  #tokens: number;
  #refilledAtMs: number;

  constructor(user: User, proofDigest: string, nowMs: number, endsAtMs: number, burst: number) {
    this.user = user;
    this.proofDigest = proofDigest;
    this.endsAtMs = endsAtMs;
    this.usedAtMs = nowMs;
    this.#tokens = burst;
    this.#refilledAtMs = nowMs;
  }

  /** Takes one request, or returns the seconds to wait if there are too many. */
  waitSeconds(nowMs: number, { burst, perSecond }: SessionLimits): number | undefined {
    this.#tokens = Math.min(burst, this.#tokens + ((nowMs - this.#refilledAtMs) / 1_000) * perSecond);
    this.#refilledAtMs = nowMs;
    if (this.#tokens < 1) return Math.ceil((1 - this.#tokens) / perSecond);
    this.#tokens -= 1;
    return undefined;
  }

  onEnd(end: () => void): () => void {
    this.#endings.add(end);
    return () => void this.#endings.delete(end);
  }

  get isFollowed(): boolean {
    return this.#endings.size > 0;
  }

  end(): void {
    for (const end of [...this.#endings]) end();
  }
}

/** Sessions by a cookie and a proof of 256 bits each. Only their digests are kept, and only in memory. */
export class UserSessions {
  readonly #clock: Clock;
  readonly #limits: SessionLimits;
  readonly #byDigest = new Map<string, UserSession>();
  readonly #stopLooking: () => void;

  constructor(clock: Clock, limits: SessionLimits) {
    this.#clock = clock;
    this.#limits = limits;
    this.#stopLooking = every(clock, LOOK_EVERY_MS, () => this.endOverdue());
  }

  /** `withinMs`: the rest of the token's own time. */
  open(user: User, withinMs = Number.POSITIVE_INFINITY): NewSession {
    const { absoluteMs, most, mostOfUser, burst } = this.#limits;
    this.endOverdue();
    const ofUser = [...this.#byDigest].filter(([, session]) => session.user.name === user.name);
    if (ofUser.length >= mostOfUser) this.#endStalest(ofUser);
    if (this.#byDigest.size >= most) this.#endStalest([...this.#byDigest]);
    const opened = { cookie: newSecret(), proof: newSecret() };
    const nowMs = this.#clock.monotonicMs();
    const endsAtMs = nowMs + Math.min(absoluteMs, withinMs);
    this.#byDigest.set(digestOf(opened.cookie), new UserSession(user, digestOf(opened.proof), nowMs, endsAtMs, burst));
    return opened;
  }

  /** Tests if the cookie is of a session; this does not count as use. */
  has(cookie = ''): boolean {
    this.endOverdue();
    return this.#byDigest.has(digestOf(cookie));
  }

  /** The session of both, which counts as used. */
  find({ cookie = '', proof = '' }: Credentials): UserSession | undefined {
    this.endOverdue();
    const session = this.#byDigest.get(digestOf(cookie));
    // Digests of secrets: the time of the comparison says nothing of them.
    if (session === undefined || session.proofDigest !== digestOf(proof)) return undefined;
    session.usedAtMs = this.#clock.monotonicMs();
    return session;
  }

  end(credentials: Credentials): void {
    if (this.find(credentials)) this.#end(digestOf(credentials.cookie ?? ''));
  }

  /** Ends expired sessions. A session with an open stream is not idle. */
  endOverdue(): void {
    const nowMs = this.#clock.monotonicMs();
    for (const [digest, session] of [...this.#byDigest]) {
      if (session.isFollowed) session.usedAtMs = nowMs;
      if (nowMs >= session.endsAtMs || nowMs - session.usedAtMs >= this.#limits.idleMs) this.#end(digest);
    }
  }

  /** Ends all of them, and opens no more. */
  stop(): void {
    this.#stopLooking();
    for (const digest of [...this.#byDigest.keys()]) this.#end(digest);
  }

  #endStalest(candidates: readonly [string, UserSession][]): void {
    const [stalest] = candidates.toSorted(([, a], [, b]) => a.usedAtMs - b.usedAtMs);
    if (stalest) this.#end(stalest[0]);
  }

  #end(digest: string): void {
    const session = this.#byDigest.get(digest);
    this.#byDigest.delete(digest);
    session?.end();
  }
}

const digestOf = (secret: string): string => createHash('sha256').update(secret).digest('base64url');
