import { slopeOf } from '../../bench/figures.ts';
import type { CycleCounts } from './virtual-soak.ts';

/** Growth in each cycle by least squares, of counts that begin when the leader and the cluster hold what they will hold. */
export interface Growth {
  timers: number;
  watches: number;
  series: number;
  /** Entries of Maps and Sets, without those of new objects of the cluster and of remembered Events. */
  entries: number;
  objects: number;
  kilobytes: number;
}

/** Maps that have an entry for each object of the cluster: two of the API server. */
const ENTRIES_OF_OBJECT = 2;

export function growthOf(counts: readonly CycleCounts[]): Growth {
  const perCycle = (read: (one: CycleCounts) => number) => slopeOf(counts.map((one, cycle) => [cycle, read(one)]))?.slope ?? Number.NaN;
  const remembered = counts.map((_, cycle) => counts.slice(1, cycle + 1).reduce((sum, one) => sum + one.newEvents + one.newCanaries, 0));
  const objectsIn = ({ stored }: CycleCounts) => Object.values(stored).reduce((sum, count) => sum + count, 0);
  return {
    timers: perCycle(({ timers }) => timers),
    watches: perCycle(({ watches }) => watches),
    series: perCycle(({ series }) => series),
    entries: perCycle((one) => one.entries - ENTRIES_OF_OBJECT * objectsIn(one) - (remembered[counts.indexOf(one)] ?? 0)),
    objects: perCycle(({ objects }) => objects),
    kilobytes: perCycle(({ bytes }) => bytes / 1_000),
  };
}
