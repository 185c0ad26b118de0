import type { Clock } from './clock.ts';
import type { ApiVerb, TransportOptions } from './transport.ts';

const READS: ReadonlySet<ApiVerb> = new Set<ApiVerb>(['get', 'list', 'watch']);
/** Longest that a write may wait for its answer, in milliseconds. */
const LONGEST_WRITE_MS = 10_000;

/**
 * For `beforeSend`: a write that waited for its turn may come too late for the lease, so it is asked right before the bytes go out
 * (I9). `mayWriteUntilMs` is on the same monotonic clock; reads change nothing and go on.
 */
export function refuseLateWrites(mayWriteUntilMs: () => number, clock: Clock): NonNullable<TransportOptions['beforeSend']> {
  return ({ verb }) => {
    if (!READS.has(verb) && clock.monotonicMs() >= mayWriteUntilMs()) throw new Error('the lease may have ended');
  };
}

/** Milliseconds for a request, so that a write that started in time has ended before a successor may begin. */
export function writeTimeoutMs({ leaseDurationMs, renewDeadlineMs }: { leaseDurationMs: number; renewDeadlineMs: number }): number {
  return Math.min(LONGEST_WRITE_MS, (leaseDurationMs - renewDeadlineMs) * 0.9);
}
