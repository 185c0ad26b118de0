/** `value` undefined is a stale marker: the series ended here. Times are epoch milliseconds. */
export interface Point {
  tMs: number;
  value: number | undefined;
}

/**
 * Points of one value at moments that follow each other: those of `times` from one index to another, both included. All series of a target
 * share the times of its scrapes, and most values come again unchanged: a run then costs no memory for its further points.
 */
export interface Run {
  readonly times: readonly number[];
  from: number;
  to: number;
  readonly value: Point['value'];
}

/** A point at `times[at]`; a point that is not later than the last is dropped. */
export function addPoint(runs: Run[], times: readonly number[], at: number, value: Point['value']): void {
  const last = runs.at(-1);
  if (last && endOf(last) >= (times[at] ?? Number.NaN)) return;
  if (last && last.times === times && last.to === at - 1 && Object.is(last.value, value)) last.to = at;
  else runs.push({ times, from: at, to: at, value });
}

/** Drops what is older. */
export function dropBefore(runs: Run[], oldestMs: number): void {
  const keep = runs.findIndex((run) => endOf(run) >= oldestMs);
  runs.splice(0, keep === -1 ? runs.length : keep);
  const [first] = runs;
  while (first && (first.times[first.from] ?? Infinity) < oldestMs) first.from += 1;
}

/** The newest point at or before the time. */
export function newestUpTo(runs: readonly Run[], tMs: number): Point | undefined {
  const run = runs[startedUpTo(runs, tMs) - 1];
  const at = run && lastIn(run, tMs);
  return run && { tMs: run.times[at ?? run.from] ?? Number.NaN, value: run.value };
}

/** Points after `startMs` and up to `endMs`, without stale markers. */
export function floatsIn(runs: readonly Run[], startMs: number, endMs: number): { tMs: number; value: number }[] {
  const points: { tMs: number; value: number }[] = [];
  const end = startedUpTo(runs, endMs);
  for (let index = Math.max(0, startedUpTo(runs, startMs) - 1); index < end; index += 1) {
    const run = runs[index];
    if (run?.value === undefined) continue;
    for (let at = run.from; at <= run.to; at += 1) {
      const tMs = run.times[at] ?? Number.NaN;
      if (tMs > startMs && tMs <= endMs) points.push({ tMs, value: run.value });
    }
  }
  return points;
}

const endOf = (run: Run): number => run.times[run.to] ?? Number.NaN;

/** Number of runs that begin at or before the time. */
const startedUpTo = (runs: readonly Run[], tMs: number): number =>
  countWhile(0, runs.length, (index) => (runs[index]?.times[runs[index]?.from ?? 0] ?? Infinity) <= tMs);

/** Index of the last of its times that is not after the time; its first is not. */
const lastIn = ({ times, from, to }: Run, tMs: number): number =>
  countWhile(from, to + 1, (index) => (times[index] ?? Infinity) <= tMs) - 1;

/** The first index of a sorted row for which it is no longer so, by halving. */
function countWhile(from: number, until: number, isSo: (index: number) => boolean): number {
  let [low, high] = [from, until];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isSo(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
