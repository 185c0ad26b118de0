import { seededRandom } from '../../../src/embedded/mesh/random.ts';

/** One value of each factor. */
type Row<F extends string> = Record<F, string>;
type Values<F extends string> = Readonly<Record<F, readonly string[]>>;

/** Pairs of values of two factors that a row holds, each as one key. */
export function pairKeysOf<F extends string>(row: Record<F, string>, factors: readonly F[]): string[] {
  return pairsOf(factors).map(([a, b]) => JSON.stringify([a, row[a], b, row[b]]));
}

export interface Covering<F extends string> {
  rows: Row<F>[];
  /** Keys of the pairs that can be combined. */
  possible: ReadonlySet<string>;
}

/**
 * Rows that contain every pair of values that can be combined (all-pairs). Each row is the best of a few that grow around a missing pair.
 * One seed always gives the same rows. The first rows contain the most pairs, so that a part of the rows is a good sample.
 */
export function coveringRows<F extends string>(
  values: Values<F>,
  isPossible: (row: Partial<Row<F>>) => boolean,
  seed: number,
): Covering<F> {
  const factors = Object.keys(values) as F[];
  const random = seededRandom(seed);
  const missing = new Set<string>();
  for (const [a, b] of pairsOf(factors))
    for (const x of values[a])
      for (const y of values[b]) if (complete({ [a]: x, [b]: y } as Partial<Row<F>>) !== undefined) missing.add(pairKey(a, x, b, y));
  const possible = new Set(missing);
  const rows: Row<F>[] = [];
  while (missing.size > 0) {
    let best: { row: Row<F>; gained: string[] } | undefined;
    const wanted = [...missing];
    for (let candidate = 0; candidate < CANDIDATES; candidate++) {
      const [a, x, b, y] = JSON.parse(wanted[Math.floor(random() * wanted.length)] ?? '[]') as [F, string, F, string];
      const row = complete({ [a]: x, [b]: y } as Partial<Row<F>>);
      if (row === undefined) continue;
      const gained = pairKeysOf(row, factors).filter((key) => missing.has(key));
      if (best === undefined || gained.length > best.gained.length) best = { row, gained };
    }
    if (best === undefined) break;
    rows.push(best.row);
    for (const key of best.gained) missing.delete(key);
  }
  return { rows, possible };

  /** Fills the open factors, in random order, each with the value that adds the most missing pairs; goes back where nothing fits. */
  function complete(given: Partial<Row<F>>): Row<F> | undefined {
    if (!isPossible(given)) return undefined;
    const open = shuffled(factors.filter((factor) => given[factor] === undefined));
    const fill = (row: Partial<Row<F>>, index: number): Row<F> | undefined => {
      const factor = open[index];
      if (factor === undefined) return row as Row<F>;
      const gain = (value: string) =>
        factors.filter((other) => row[other] !== undefined && missing.has(pairKey(factor, value, other, row[other] as string))).length;
      const ordered = shuffled(values[factor])
        .map((value) => ({ value, gain: gain(value) }))
        .sort((x, y) => y.gain - x.gain);
      for (const { value } of ordered) {
        const next = { ...row, [factor]: value } as Partial<Row<F>>;
        if (!isPossible(next)) continue;
        const filled = fill(next, index + 1);
        if (filled) return filled;
      }
      return undefined;
    };
    return fill(given, 0);
  }

  function pairKey(a: F, x: string, b: F, y: string): string {
    return JSON.stringify(factors.indexOf(a) < factors.indexOf(b) ? [a, x, b, y] : [b, y, a, x]);
  }
  function shuffled<T>(items: readonly T[]): T[] {
    return items
      .map((item) => ({ item, at: random() }))
      .sort((x, y) => x.at - y.at)
      .map(({ item }) => item);
  }
}

const CANDIDATES = 20;
const pairsOf = <F>(factors: readonly F[]): [F, F][] => factors.flatMap((a, index) => factors.slice(index + 1).map((b): [F, F] => [a, b]));
