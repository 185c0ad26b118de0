import { seededRandom } from '../../src/embedded/mesh/random.ts';
import { isParsed, type Mutant, mutantsOf, ROOMS, type Room, readSource, sourcesOf } from './candidates.ts';

const linesOf = (room: Room): number => sourcesOf(room).reduce((sum, file) => sum + readSource(file).split('\n').length, 0);

/** How many mutants each room gets: by its lines of code, and one at least. */
export function quotas(count: number, rooms: readonly Room[] = ROOMS): Map<Room, number> {
  const lines = new Map(rooms.map((room) => [room, linesOf(room)]));
  const total = [...lines.values()].reduce((sum, one) => sum + one, 0);
  const exact = rooms.map((room) => ({ room, share: ((lines.get(room) ?? 0) * count) / total }));
  const whole = new Map(exact.map(({ room, share }) => [room, Math.max(1, Math.floor(share))]));
  for (const { room } of exact.toSorted((a, b) => (b.share % 1) - (a.share % 1))) {
    const given = [...whole.values()].reduce((sum, one) => sum + one, 0);
    if (given < count) whole.set(room, (whole.get(room) ?? 0) + 1);
  }
  return whole;
}

/**
 * Mutants of all rooms, drawn with a seed: the same source and seed give the same ones, and a smaller count gives the first of each room. Of one line
 * only one is drawn: a second would mostly say the same.
 */
export function sampleMutants({ seed, count, rooms = ROOMS }: { seed: number; count: number; rooms?: readonly Room[] }): Mutant[] {
  const sample: Mutant[] = [];
  for (const [room, quota] of quotas(count, rooms)) {
    // One generator each: a change in one room leaves the mutants of the others as they are.
    const random = seededRandom(seed * ROOMS.length + ROOMS.indexOf(room));
    const candidates = sourcesOf(room).flatMap((file) => mutantsOf(room, file));
    const lines = new Set<string>();
    const drawn: Mutant[] = [];
    while (drawn.length < quota && candidates.length > 0) {
      const [mutant] = candidates.splice(Math.floor(random() * candidates.length), 1);
      if (!mutant || lines.has(`${mutant.file}:${mutant.line}`) || !isParsed(mutant)) continue;
      lines.add(`${mutant.file}:${mutant.line}`);
      drawn.push(mutant);
    }
    sample.push(...drawn);
  }
  return sample;
}

/** The mutant with this id, wherever it is. */
export function findMutant(id: string): Mutant | undefined {
  for (const room of ROOMS)
    for (const file of sourcesOf(room)) {
      const found = mutantsOf(room, file).find((mutant) => mutant.id === id);
      if (found) return found;
    }
  return undefined;
}
