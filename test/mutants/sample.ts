import { createHash } from 'node:crypto';
import { isParsed, type Mutant, mutantsOf, ROOMS, type Room, readSource, sourcesOf } from './candidates.ts';

const linesOf = (room: Room): number => sourcesOf(room).reduce((sum, file) => sum + readSource(file).split('\n').length, 0);

/** Number of mutants of each room, in proportion to its lines of code. */
export function quotas(count: number, rooms: readonly Room[] = ROOMS): Map<Room, number> {
  const lines = new Map(rooms.map((room) => [room, linesOf(room)]));
  const total = [...lines.values()].reduce((sum, one) => sum + one, 0);
  const exact = rooms.map((room) => ({ room, share: ((lines.get(room) ?? 0) * count) / total }));
  const whole = new Map(exact.map(({ room, share }) => [room, Math.floor(share)]));
  for (const { room } of exact.toSorted((a, b) => (b.share % 1) - (a.share % 1))) {
    const given = [...whole.values()].reduce((sum, one) => sum + one, 0);
    if (given < count) whole.set(room, (whole.get(room) ?? 0) + 1);
  }
  return whole;
}

interface SampleOptions {
  seed: number;
  count: number;
  rooms?: readonly Room[];
  among?: ReadonlySet<string> | undefined;
}

/**
 * Mutants of all rooms, drawn with a seed: those whose id has the smallest hash. Code that is added leaves the others in the sample, and a smaller
 * count gives the first of each room. Of one line only one is drawn: a second would mostly say the same. `among`: only of those with these ids.
 */
export function sampleMutants({ seed, count, rooms = ROOMS, among }: SampleOptions): Mutant[] {
  const rank = ({ id }: Mutant): string => createHash('sha256').update(`${seed} ${id}`).digest('hex');
  return [...quotas(count, rooms)].flatMap(([room, quota]) => {
    const ranked = sourcesOf(room)
      .flatMap((file) => mutantsOf(room, file))
      .filter(({ id }) => among?.has(id) ?? true)
      .map((mutant) => ({ mutant, rank: rank(mutant) }))
      .sort((one, other) => (one.rank < other.rank ? -1 : 1));
    const lines = new Set<string>();
    const drawn: Mutant[] = [];
    for (const { mutant } of ranked) {
      if (drawn.length === quota) break;
      const line = `${mutant.file}:${mutant.line}`;
      if (lines.has(line) || !isParsed(mutant)) continue;
      lines.add(line);
      drawn.push(mutant);
    }
    return drawn;
  });
}

/** The mutants with these ids, wherever they are; one is missing when its line has changed. */
export function findMutants(ids: readonly string[]): Mutant[] {
  const wanted = new Set(ids);
  return ROOMS.flatMap((room) => sourcesOf(room).flatMap((file) => mutantsOf(room, file).filter(({ id }) => wanted.has(id))));
}
