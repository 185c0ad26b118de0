import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { keptIn } from '../base/once.ts';
import { attemptHeaders, attemptSignatureOf } from '../base/signature.ts';
import type { Credential } from './credentials.ts';

/** The proved caller. Without `namespace` the payload names it. */
export interface Caller {
  /** For the log. */
  by: 'anyone' | 'token' | 'signature';
  namespace?: string;
}

export interface Call {
  headers: IncomingHttpHeaders;
  /** Path and query, unmodified. */
  path: string;
  body: Buffer;
}

export interface CallerCheck {
  /** Undefined where everybody may call. */
  credentials: (() => Promise<readonly Credential[]>) | undefined;
  nowMs(): number;
}

/** Largest difference between the two clocks, and the longest time that a call can be under way. */
const WINDOW_MS = 300_000;
/** Most ids of one key, so that it does not use up those of another. */
const MOST_IDS = 50_000;

/** Proves callers by a bearer token or the signature of an attempt, each of which counts once. */
export function createCallerCheck({ credentials, nowMs }: CallerCheck): (call: Call) => Promise<Caller | { refused: string }> {
  /** Ids seen, by key, each with the time from which its timestamp is too old; the oldest first. */
  const seenOf = new Map<string, Map<string, number>>();
  const isNew = (key: string, id: string): boolean => {
    const seen = keptIn(seenOf, key, () => new Map());
    for (const [old, untilMs] of seen) {
      if (untilMs >= nowMs()) break;
      seen.delete(old);
    }
    if (seen.has(id) || seen.size >= MOST_IDS) return false;
    seen.set(id, nowMs() + 2 * WINDOW_MS);
    return true;
  };
  return async ({ headers, path, body }) => {
    if (credentials === undefined) return { by: 'anyone' };
    const known = await credentials();
    const token = /^Bearer (\S+)$/i.exec(headers.authorization ?? '')?.[1];
    const bearer = token === undefined ? undefined : known.find(({ kind, value }) => kind === 'token' && isSame(value, token));
    if (bearer) return { by: 'token', ...(bearer.namespace && { namespace: bearer.namespace }) };
    const [timestamp, id, signature] = [attemptHeaders.timestamp, attemptHeaders.id, attemptHeaders.signature].map(
      (name) => headers[name.toLowerCase()],
    );
    if (typeof signature !== 'string' || typeof timestamp !== 'string' || typeof id !== 'string')
      return {
        refused: token === undefined ? 'send a bearer token, or sign the call (webhooks[].secretRef)' : 'the bearer token is not known',
      };
    if (!/^\d{1,12}$/.test(timestamp) || !/^[-\w]{8,64}$/.test(id)) return { refused: 'the call is not signed as it should be' };
    const attempt = { timestamp, id, path, body: body.toString('utf8') };
    const key = known.find(({ kind, value }) => kind === 'signingKey' && isSame(attemptSignatureOf(attempt, value), signature));
    if (key === undefined) return { refused: 'the signature does not fit this call' };
    if (Math.abs(nowMs() - Number(timestamp) * 1000) > WINDOW_MS)
      return { refused: 'the call was signed at another time: look at the clocks' };
    if (!isNew(key.value, id)) return { refused: 'the call has come before' };
    return { by: 'signature', ...(key.namespace && { namespace: key.namespace }) };
  };
}

/** Hashed, so that texts of any length take the same time. */
function isSame(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}
