import type { Clock } from '../base/clock.ts';

/** An Admission that counts what begins, and not what is under way. */
export interface TokenBucket {
  /** 0 if a request can begin: it is counted. Otherwise milliseconds until the next one can. */
  take(): number;
}

/** Admits `burst` at once and `qps` a second after that. Without qps it has no limit. */
export function createTokenBucket(clock: Clock, limits: { qps?: number | undefined; burst?: number | undefined }): TokenBucket {
  const { qps } = limits;
  if (qps === undefined || qps <= 0) return { take: () => 0 };
  const burst = Math.max(1, limits.burst ?? qps);
  let tokens = burst;
  let filledAtMs = clock.monotonicMs();
  return {
    take() {
      const nowMs = clock.monotonicMs();
      tokens = Math.min(burst, tokens + ((nowMs - filledAtMs) / 1000) * qps);
      filledAtMs = nowMs;
      // A timer can fire a rounding error early: that must not cost another wait.
      if (tokens < 1 - 1e-9) return ((1 - tokens) / qps) * 1000;
      tokens -= 1;
      return 0;
    },
  };
}
