import { BOUND_MS } from './until.ts';
import { monotonicMs, sleep } from './world.ts';

type Counts = Record<string, number>;

const LOOK_EVERY_MS = 50;

/**
 * Resolves with the counts when none of them has changed for `settledMs`; rejects after the bound, with the last changed counts. A late look counts the same as
 * one in time: while this process was paused, so were the servers in it.
 */
export async function settled(counts: () => Counts, settledMs: number, boundMs: number = BOUND_MS): Promise<Counts> {
  const deadlineMs = monotonicMs() + boundMs;
  let last = counts();
  let moved: Counts = {};
  for (let stillMs = 0; stillMs < settledMs; stillMs += LOOK_EVERY_MS) {
    if (monotonicMs() > deadlineMs) throw new Error(`not settled for ${settledMs} ms within ${boundMs} ms: ${JSON.stringify(moved)}`);
    await sleep(LOOK_EVERY_MS);
    const now = counts();
    const since = Object.entries(now).filter(([what, count]) => count !== last[what]);
    if (since.length === 0) continue;
    moved = Object.fromEntries(since);
    last = now;
    stillMs = -LOOK_EVERY_MS;
  }
  return last;
}
