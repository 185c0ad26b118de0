import { describe, expect, it } from 'vitest';
import { seededRandom } from '../src/embedded/mesh/random.ts';
import type { Window } from '../src/judge/window.ts';
import { type Cell, KINDS, type Kind } from './study/cells.ts';
import { readCounters } from './study/counters.ts';
import { Draws } from './study/draws.ts';
import { beginRelease } from './study/traffic.ts';

const cellOf = (kind: Kind): Cell => ({ rps: 100, base: 0.005, effect: 1, kind, strategy: 'ab', releases: 1 });

/** Failures of the primary in each minute of the last hour before a release. */
function minutesBefore(cell: Cell, draws: Draws): number[] {
  const each = 60 / (cell.windowSeconds ?? 60);
  const windows = beginRelease(cell, draws).history.slice(-60 * each);
  return Array.from({ length: 60 }, (_, minute) =>
    windows.slice(minute * each, (minute + 1) * each).reduce((sum, { failures }) => sum + failures, 0),
  );
}

const meanOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
const varianceOf = (values: readonly number[]): number => meanOf(values.map((value) => (value - meanOf(values)) ** 2));

describe('traffic in windows of 5 s', () => {
  it.each(Object.keys(KINDS) as Kind[])('has as many failures a minute as in windows of a minute, and they scatter as much: %s', (kind) => {
    const draws = new Draws(seededRandom(7));
    const hours = (cell: Cell) => Array.from({ length: 40 }, () => minutesBefore(cell, draws)).flat();
    const [long, short] = [hours(cellOf(kind)), hours({ ...cellOf(kind), windowSeconds: 5 })];
    expect(meanOf(short) / meanOf(long)).toBeGreaterThan(0.9);
    expect(meanOf(short) / meanOf(long)).toBeLessThan(1.1);
    expect(varianceOf(short) / varianceOf(long)).toBeGreaterThan(0.75);
    expect(varianceOf(short) / varianceOf(long)).toBeLessThan(1.33);
  });
});

describe('counters', () => {
  const counts = (requests: number, failures = 0) => ({ requests, failures });
  const pod = (requests: number) => [{ name: 'a', ...counts(requests) }];

  /** Reads what a release served, window by window; `moments` decides when each side is scraped, 0–1. */
  function read(
    served: readonly Omit<Window, 'fromMs' | 'toMs'>[],
    pace: Pick<Cell, 'windowSeconds' | 'scrapeSeconds'>,
    moments: number[] = [],
  ) {
    const waiting = [...served];
    const release = {
      history: served.map(({ primary }) => primary),
      next: () => ({ fromMs: 0, toMs: 0, ...(waiting.shift() ?? { canary: counts(0), primary: counts(0) }) }),
    };
    const reader = readCounters(release, pace, new Draws(() => moments.shift() ?? 0));
    return { history: reader.history, windows: served.map(() => reader.next()) };
  }

  it('extend a window until both sides have new requests, pods too', () => {
    const { windows } = read(
      [
        { canary: counts(0), primary: counts(9, 1), pods: { canary: [], primary: pod(9) } },
        { canary: counts(2, 1), primary: counts(8), pods: { canary: pod(2), primary: pod(8) } },
        { canary: counts(3), primary: counts(7), pods: { canary: pod(3), primary: pod(7) } },
      ],
      { windowSeconds: 5 },
    );
    expect(windows).toEqual([
      undefined,
      { fromMs: 0, toMs: 10_000, canary: counts(2, 1), primary: counts(17, 1), pods: { canary: pod(2), primary: pod(17) } },
      { fromMs: 10_000, toMs: 15_000, canary: counts(3), primary: counts(7), pods: { canary: pod(3), primary: pod(7) } },
    ]);
  });

  it('have what the last scrape of each side had, so that a window holds other seconds of either', () => {
    const served = Array.from({ length: 6 }, (_, index) => ({ canary: counts(index + 1), primary: counts(10 * (index + 1)) }));
    const { windows, history } = read(served, { windowSeconds: 5, scrapeSeconds: 15 }, [0, 0.9]);
    // The canary is scraped after windows 1 and 4, the primary after 3 and 6.
    expect(windows.filter((window) => window !== undefined)).toEqual([
      { fromMs: 0, toMs: 15_000, canary: counts(1), primary: counts(60) },
      { fromMs: 15_000, toMs: 30_000, canary: counts(2 + 3 + 4), primary: counts(150) },
    ]);
    expect(history).toEqual([counts(60), counts(150)]);
  });
});
