import { inspect } from 'node:util';
import { BOUND_MS } from './until.ts';
import { monotonicMs, sleep } from './world.ts';

/** Between two reads: what has not come soon is read less and less often, as each read is work for the cluster and for the commands. */
const FIRST_PAUSE_MS = 50;
const LAST_PAUSE_MS = 500;
const longer = (pauseMs: number): number => Math.min(pauseMs * 1.5, LAST_PAUSE_MS);

/**
 * Reads again and again until what was read is so (without a test: true); the error after the bound shows what was read last.
 * The suites wait by this and not by `expect.poll`, which belongs to the test that began last and so fails where tests run side by side.
 */
export async function eventually<T>(
  what: string,
  read: () => T | Promise<T>,
  isSo: (value: T) => unknown = Boolean,
  hint: () => string = () => '',
): Promise<T> {
  const deadlineMs = monotonicMs() + BOUND_MS;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = longer(pauseMs)) {
    const value = await read();
    if (isSo(value)) return value;
    if (monotonicMs() > deadlineMs)
      throw new Error(`${what}: not within ${BOUND_MS / 1000} s; last: ${inspect(value, { depth: 4 })}\n${hint()}`);
    await sleep(pauseMs);
  }
}

/** Repeats the assertions until all of them hold; after the bound the last failure is the test's. */
export async function eventuallyHolds(assertions: () => unknown): Promise<void> {
  const deadlineMs = monotonicMs() + BOUND_MS;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = longer(pauseMs)) {
    try {
      await assertions();
      return;
    } catch (error) {
      if (monotonicMs() > deadlineMs) throw error;
    }
    await sleep(pauseMs);
  }
}
