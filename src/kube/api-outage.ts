import type { Clock } from '../base/clock.ts';
import { RequestTimeoutError, UnreachableError } from './errors.ts';

/** Between two log lines about one outage: doubles from the first to the longest. */
const LOG_PAUSE_MS = { first: 10_000, longest: 300_000 };

export interface ApiOutageOptions {
  /** Base address, for the log. */
  server: string;
  clock: Clock;
  log: { warn(fields: object, message: string): void; info(fields: object, message: string): void };
  /** Calls `giveUp` once after this long without an answer. `undefined` never does. */
  limitMs?: number | undefined;
  giveUp?: (unansweredMs: number) => void;
}

/** Outcomes of all requests to one API server: an outage is one fact, and one line with a growing pause, however many requests wait for it. */
export interface ApiOutage {
  /** Any response, and any part of a watch. */
  answered(): void;
  /** A connection that failed, or a request whose deadline passed. */
  failed(error: Error): void;
}

export function apiOutage({ server, clock, log, limitMs, giveUp }: ApiOutageOptions): ApiOutage {
  let outage: { sinceMs: number; nextLineMs: number; pauseMs: number } | undefined;
  let hasGivenUp = false;
  return {
    answered() {
      if (outage === undefined) return;
      log.info({ server, unansweredMs: clock.monotonicMs() - outage.sinceMs }, 'the API server answers again');
      outage = undefined;
    },
    failed(error) {
      const nowMs = clock.monotonicMs();
      outage ??= { sinceMs: nowMs, nextLineMs: nowMs, pauseMs: LOG_PAUSE_MS.first };
      const unansweredMs = nowMs - outage.sinceMs;
      if (limitMs !== undefined && unansweredMs >= limitMs) {
        if (!hasGivenUp) giveUp?.(unansweredMs);
        hasGivenUp = true;
        return;
      }
      if (nowMs < outage.nextLineMs) return;
      log.warn(
        { server, reason: error.message, unansweredMs, ...(limitMs !== undefined && { exitInMs: limitMs - unansweredMs }) },
        'the API server does not answer: check its address, its health and the network policies on the way',
      );
      outage.nextLineMs = nowMs + outage.pauseMs;
      outage.pauseMs = Math.min(outage.pauseMs * 2, LOG_PAUSE_MS.longest);
    },
  };
}

/** The API server did not answer: what `ApiOutage` says once for all requests. */
export const isUnanswered = (error: unknown): boolean => error instanceof UnreachableError || error instanceof RequestTimeoutError;
