import { seededRandom } from '../../src/embedded/mesh/random.ts';
import { type Cell, cellName, type ShortCell } from './cells.ts';
import { readCounters } from './counters.ts';
import { type Decider, type DeciderName, deciders, serin, serinOfLatency } from './deciders.ts';
import { Draws } from './draws.ts';
import { beginLatencyRelease, type LatencyCell, latencyName } from './latency-traffic.ts';
import { beginRelease, type Release } from './traffic.ts';

/** Minutes after which an undecided release counts as undecidable. */
export const HORIZON = 120;

/** Ends of the releases of a cell under one decider. */
export interface Outcome {
  rolledBack: number;
  promoted: number;
  undecided: number;
  /** Median minutes until a rollback, or until a promotion. */
  minutesToRollback?: number;
  minutesToPromotion?: number;
}

export type Outcomes = Partial<Record<DeciderName, Outcome>>;

/**
 * Plays the releases of a cell. With `goesOn` the judge of Serin looks for harm to the horizon, even after a result of no harm: the hardest test of false
 * alarms.
 */
export function playCell(cell: Cell, { goesOn, seed }: { goesOn: boolean; seed: number }): Outcomes {
  const all = goesOn ? { ...deciders, serin: serin({ goesOn }) } : deciders;
  return playAll(cell.releases, (index) => beginRelease(cell, drawsOf(cellName(cell), seed, index)), all);
}

/** The same in windows shorter than a minute, which only the judge of Serin takes. */
export function playShort(cell: ShortCell, { goesOn, seed }: { goesOn: boolean; seed: number }): Outcomes {
  const begin = (index: number) => {
    const draws = drawsOf(cellName(cell), seed, index);
    return readCounters(beginRelease(cell, draws), cell, draws);
  };
  return playAll(cell.releases, begin, { serin: serin({ goesOn }) }, cell.windowSeconds);
}

/** The same for latencies, which only the judge of Serin compares here. */
export function playLatency(cell: LatencyCell, { goesOn, seed }: { goesOn: boolean; seed: number }): Outcomes {
  const all = { serin: serinOfLatency({ goesOn }) };
  return playAll(cell.releases, (index) => beginLatencyRelease(cell, drawsOf(latencyName(cell), seed, index)), all);
}

function playAll(
  releases: number,
  begin: (index: number) => Release,
  all: Partial<Record<DeciderName, Decider>>,
  windowSeconds = 60,
): Outcomes {
  const tallies = Object.entries(all).map(([name, decider]) => ({
    name,
    decider,
    minutes: { rolledBack: [] as number[], promoted: [] as number[] },
  }));
  for (let index = 0; index < releases; index += 1) {
    const release = begin(index);
    let open = tallies.map((tally) => ({ ...tally, decide: tally.decider.begin(release.history) }));
    for (let windows = 1; windows * windowSeconds <= HORIZON * 60 && open.length > 0; windows += 1) {
      const window = release.next();
      const elapsed = (windows * windowSeconds) / 60;
      open = open.filter(({ decide, minutes }) => {
        const decision = decide(window, elapsed);
        if (decision !== undefined) minutes[decision].push(elapsed);
        return decision === undefined;
      });
    }
  }
  return Object.fromEntries(tallies.map(({ name, minutes }) => [name, outcomeOf(releases, minutes)]));
}

function outcomeOf(releases: number, { rolledBack, promoted }: { rolledBack: readonly number[]; promoted: readonly number[] }): Outcome {
  const minutesToRollback = medianOf(rolledBack);
  const minutesToPromotion = medianOf(promoted);
  return {
    rolledBack: rolledBack.length,
    promoted: promoted.length,
    undecided: releases - rolledBack.length - promoted.length,
    ...(minutesToRollback === undefined ? {} : { minutesToRollback }),
    ...(minutesToPromotion === undefined ? {} : { minutesToPromotion }),
  };
}

/** A seed of FNV-1a over the cell's name, so that a cell does not depend on the other cells. */
function drawsOf(name: string, seed: number, index: number): Draws {
  let hash = 2_166_136_261 ^ seed;
  for (const character of `${name} ${index}`) hash = Math.imul(hash ^ character.charCodeAt(0), 16_777_619);
  return new Draws(seededRandom(hash >>> 0));
}

function medianOf(values: readonly number[]): number | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}
