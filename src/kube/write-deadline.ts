import type { Clock } from '../base/clock.ts';
import { type BeforeSend, isWrite } from './api-call.ts';
import type { Leadership } from './lease.ts';

/**
 * Milliseconds for a write: longer than the API server works on one (`--request-timeout` of kube-apiserver, 60 s by default). A write that is given up
 * sooner goes on there, and another one like it makes a busy server busier.
 */
export const WRITE_TIMEOUT_MS = 65_000;

/**
 * For `beforeSend` (I9): a write that waited for its turn can be too late for the lease, so the lease is checked right before the bytes go out. A write under
 * way ends with the term, which each renewal prolongs. It ends before a successor can begin. Reads change nothing and continue.
 */
export function writesOfTerm(lease: () => Pick<Leadership, 'mayWriteUntilMs' | 'term'> | undefined, clock: Clock): BeforeSend {
  return (call) => {
    const held = lease();
    if (held === undefined || !isWrite(call)) return undefined;
    const term = held.term();
    if (term === undefined || term.aborted || clock.monotonicMs() >= held.mayWriteUntilMs()) throw new Error('the lease could have ended');
    return term;
  };
}
