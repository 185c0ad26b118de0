import type { Counts, PodCounts, Window } from '../../src/judge/window.ts';
import type { Cell } from './cells.ts';
import type { Draws } from './draws.ts';
import type { Release } from './traffic.ts';

/** Requests that one side has served since its last scrape, or since the last window. */
interface Served extends Counts {
  pods: readonly PodCounts[];
}
const NONE: Served = { requests: 0, failures: 0, pods: [] };

/**
 * Reads the counters of a release as the controller does in short windows: each reading has what the last scrape of the side had, the sides are scraped at
 * moments of their own, and a window is open until both sides have new requests.
 */
export function readCounters(
  release: Release,
  { windowSeconds = 60, scrapeSeconds = windowSeconds }: Pick<Cell, 'windowSeconds' | 'scrapeSeconds'>,
  draws: Draws,
): Release {
  const every = Math.round(scrapeSeconds / windowSeconds);
  const moment = () => Math.floor(draws.uniform() * every);
  const scrapedAt = every === 1 ? { canary: 0, primary: 0 } : { canary: moment(), primary: moment() };
  const waiting = { canary: NONE, primary: NONE };
  const open = { canary: NONE, primary: NONE };
  let [reading, fromMs] = [0, 0];
  return {
    history: inGroups(release.history, every),
    next() {
      const window = release.next();
      const at = reading % every;
      reading += 1;
      for (const side of ['canary', 'primary'] as const) {
        if (window !== undefined) waiting[side] = joined(waiting[side], { ...window[side], pods: window.pods?.[side] ?? [] });
        if (at !== scrapedAt[side]) continue;
        open[side] = joined(open[side], waiting[side]);
        waiting[side] = NONE;
      }
      if (open.canary.requests === 0 || open.primary.requests === 0) return undefined;
      const toMs = reading * windowSeconds * 1000;
      const closed = windowOf(fromMs, toMs, open);
      fromMs = toMs;
      [open.canary, open.primary] = [NONE, NONE];
      return closed;
    },
  };
}

function windowOf(fromMs: number, toMs: number, { canary, primary }: { canary: Served; primary: Served }): Window {
  const counts = ({ requests, failures }: Served): Counts => ({ requests, failures });
  const pods = canary.pods.length === 0 ? {} : { pods: { canary: canary.pods, primary: primary.pods } };
  return { fromMs, toMs, canary: counts(canary), primary: counts(primary), ...pods };
}

function joined(one: Served, other: Served): Served {
  const pods = new Map(one.pods.map((pod) => [pod.name, pod]));
  for (const pod of other.pods) pods.set(pod.name, { ...sum(pods.get(pod.name) ?? NONE, pod), name: pod.name });
  return { ...sum(one, other), pods: [...pods.values()] };
}

const sum = (one: Counts, other: Counts): Counts => ({ requests: one.requests + other.requests, failures: one.failures + other.failures });

function inGroups(all: readonly Counts[], size: number): Counts[] {
  const groups = Array.from({ length: Math.floor(all.length / size) }, (_, index) => all.slice(index * size, (index + 1) * size));
  return groups.map((group) => group.reduce(sum));
}
