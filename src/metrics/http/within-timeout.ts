import { deadlineAfter, systemClock } from '../../base/clock.ts';
import { redact } from '../../base/hide-secrets.ts';
import type { AskOptions } from './send-request.ts';

/**
 * The outcome of work beside HTTP requests: of a vendor's client, a socket, the cluster. It is waited for no longer than `timeoutMs`, even if the work does not
 * listen to its signal. Never throws.
 */
export async function withinTimeout<T>(
  work: (signal: AbortSignal) => Promise<T>,
  { who, timeoutMs, secrets, signal, clock = systemClock }: AskOptions,
): Promise<T | { kind: 'error'; reason: string }> {
  const { signal: deadline, end } = deadlineAfter(clock, timeoutMs);
  const either = AbortSignal.any([signal, deadline]);
  try {
    either.throwIfAborted();
    return await Promise.race([work(either), aborted(either)]);
  } catch (error) {
    if (signal.aborted) return { kind: 'error', reason: 'the query was cancelled' };
    if (deadline.aborted) return { kind: 'error', reason: `${who} did not answer within ${timeoutMs} ms` };
    if (error instanceof UnansweredError) return { kind: 'error', reason: redact(error, secrets) };
    return { kind: 'error', reason: `${who} cannot be queried: ${redact(error, secrets).slice(0, 300)}` };
  } finally {
    end();
  }
}

/** Thrown within `withinTimeout` with a reason in words for the user. */
export class UnansweredError extends Error {}

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
