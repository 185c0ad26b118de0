/** Numbers from 0 to 1 that a seed decides, so that a run can be played again (mulberry32, a published generator). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** One entry by weight; undefined when no weight is above zero. */
export function pickWeighted<T extends { weight: number }>(entries: readonly T[], random: () => number): T | undefined {
  let total = 0;
  for (const { weight } of entries) total += weight;
  let point = random() * total;
  for (const entry of entries) {
    if (entry.weight <= 0) continue;
    point -= entry.weight;
    if (point < 0) return entry;
  }
  return undefined;
}
