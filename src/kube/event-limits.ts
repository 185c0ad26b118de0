import type { Clock } from '../base/clock.ts';
import { keepNewest } from '../base/once.ts';
import { createTokenBucket, type TokenBucket } from './token-bucket.ts';

/**
 * Events on one object. client-go's spam filter admits 25 and then one in 5 minutes, which loses steps of a long release: a release of 100 steps of
 * 10 s fits into this.
 */
export const EVENTS_OF_OBJECT = { burst: 100, qps: 0.2 };
/** Events of one namespace that wait for an answer: beyond it they come faster than the API server takes them. */
export const MOST_EVENTS_WAITING = 1000;
const mostObjects = 1000;

export interface EventLimits {
  /** `undefined` if there are too many. Otherwise the function to call when the Event has been sent, or given up. */
  admit(namespace: string, uid: string): (() => void) | undefined;
}

/** Limits of one namespace's Events. */
export function createEventLimits(clock: Clock): EventLimits {
  /** The ones used last come last. */
  const buckets = new Map<string, TokenBucket>();
  const waiting = new Map<string, number>();

  function bucketOf(uid: string): TokenBucket {
    const bucket = buckets.get(uid) ?? createTokenBucket(clock, EVENTS_OF_OBJECT);
    keepNewest(buckets, uid, bucket, mostObjects);
    return bucket;
  }

  return {
    admit(namespace, uid) {
      const before = waiting.get(namespace) ?? 0;
      if (before >= MOST_EVENTS_WAITING || bucketOf(uid).take() > 0) return undefined;
      waiting.set(namespace, before + 1);
      return () => {
        const left = (waiting.get(namespace) ?? 1) - 1;
        if (left === 0) waiting.delete(namespace);
        else waiting.set(namespace, left);
      };
    },
  };
}
