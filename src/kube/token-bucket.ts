import type { Clock } from './clock.ts';
import { sleep } from './clock.ts';

export interface TokenBucket {
  /** Resolves when one more request may go out. */
  take(signal?: AbortSignal): Promise<void>;
}

/** At most `burst` requests at once and `qps` a second after that, in the order of asking. No qps: no limit. */
export function createTokenBucket(clock: Clock, limits: { qps?: number | undefined; burst?: number | undefined }): TokenBucket {
  const { qps } = limits;
  if (qps === undefined || qps <= 0) return { take: async () => {} };
  const burst = Math.max(1, limits.burst ?? qps);
  let tokens = burst;
  let filledAtMs = clock.monotonicMs();
  return {
    async take(signal) {
      const nowMs = clock.monotonicMs();
      tokens = Math.min(burst, tokens + ((nowMs - filledAtMs) / 1000) * qps);
      filledAtMs = nowMs;
      tokens -= 1;
      if (tokens >= 0) return;
      try {
        await sleep(clock, (-tokens / qps) * 1000, signal);
      } catch (cause) {
        tokens += 1; // nobody uses it: the next in line may
        throw cause;
      }
    },
  };
}
