import { seededRandom } from '../../src/embedded/mesh/random.ts';
import { type Cell, cellName } from './cells.ts';
import { type Decider, type DeciderName, deciders, serin } from './deciders.ts';
import { Draws } from './draws.ts';
import { beginRelease } from './traffic.ts';

/** Minutes after which a release that is undecided counts as one that cannot be decided. */
export const HORIZON = 120;

/** How the releases of a cell ended under one decider. */
export interface Outcome {
  rolledBack: number;
  promoted: number;
  undecided: number;
  /** Minutes until half of those that were rolled back, or promoted, were so. */
  minutesToRollback?: number;
  minutesToPromotion?: number;
}

export type Outcomes = Record<DeciderName, Outcome>;

/** Plays the releases of a cell. `goesOn` lets the judge of Serin look for harm to the horizon, whatever it finds fine: the hardest test of false alarms. */
export function playCell(cell: Cell, { goesOn, seed }: { goesOn: boolean; seed: number }): Outcomes {
  const all: Record<DeciderName, Decider> = goesOn ? { ...deciders, serin: serin(undefined, true) } : deciders;
  const names = Object.keys(all) as DeciderName[];
  const minutes = new Map(names.map((name) => [name, { rolledBack: [] as number[], promoted: [] as number[] }]));
  const counts = new Map(names.map((name) => [name, { rolledBack: 0, promoted: 0, undecided: 0 }]));
  for (let index = 0; index < cell.releases; index += 1) {
    const release = beginRelease(cell, new Draws(seededRandom(seedOf(cell, seed) + index * 7919)));
    const open = new Map(names.map((name) => [name, all[name].begin(release.history)]));
    for (let minute = 0; minute < HORIZON && open.size > 0; minute += 1) {
      const window = release.next();
      for (const [name, decide] of open) {
        const decision = decide(window, minute);
        if (decision === undefined) continue;
        open.delete(name);
        const count = counts.get(name);
        if (count !== undefined) count[decision] += 1;
        minutes.get(name)?.[decision].push(minute + 1);
      }
    }
    for (const name of open.keys()) {
      const count = counts.get(name);
      if (count !== undefined) count.undecided += 1;
    }
  }
  const outcomeOf = (name: DeciderName): Outcome => {
    const count = counts.get(name) ?? { rolledBack: 0, promoted: 0, undecided: 0 };
    const minutesToRollback = medianOf(minutes.get(name)?.rolledBack ?? []);
    const minutesToPromotion = medianOf(minutes.get(name)?.promoted ?? []);
    return {
      ...count,
      ...(minutesToRollback === undefined ? {} : { minutesToRollback }),
      ...(minutesToPromotion === undefined ? {} : { minutesToPromotion }),
    };
  };
  return Object.fromEntries(names.map((name) => [name, outcomeOf(name)])) as Outcomes;
}

/** FNV-1a of the cell's name, so that a cell is the same whatever others are played. */
function seedOf(cell: Cell, seed: number): number {
  let hash = 2_166_136_261 ^ seed;
  for (const character of cellName(cell)) hash = Math.imul(hash ^ character.charCodeAt(0), 16_777_619);
  return hash >>> 0;
}

function medianOf(values: readonly number[]): number | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}
