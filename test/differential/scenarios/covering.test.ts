import { describe, expect, it } from 'vitest';
import { allScenarios } from './all.ts';
import { coveringRows, pairKeysOf } from './covering.ts';
import { isPossible } from './possible.ts';
import { FACTORS, type Factor } from './scenario.ts';

const VALUES = { a: ['1', '2', '3'], b: ['1', '2', '3'], c: ['1', '2', '3'], d: ['1', '2', '3'] };
const anything = () => true;
/** Number of the possible pairs that the rows contain. */
const held = (rows: readonly Record<'a' | 'b' | 'c' | 'd', string>[], possible: ReadonlySet<string>): number =>
  new Set(rows.flatMap((row) => pairKeysOf(row, ['a', 'b', 'c', 'd'])).filter((key) => possible.has(key))).size;

describe('rows that cover every pair', () => {
  it('hold every two values of two factors, in far fewer rows than there are combinations', () => {
    const { rows, possible } = coveringRows(VALUES, anything, 1);
    const found = new Set(
      rows.flatMap((row) => Object.entries(row).flatMap((one) => Object.entries(row).map((other) => `${one} ${other}`))),
    );
    for (const [a, b] of [
      ['a', 'b'],
      ['a', 'd'],
      ['c', 'd'],
    ] as const)
      for (const x of VALUES[a]) for (const y of VALUES[b]) expect(found).toContain(`${a},${x} ${b},${y}`);
    expect([possible.size, held(rows, possible)]).toEqual([54, 54]);
    expect(rows.length).toBeLessThan(20);
  });

  it('hold no row that cannot be, and leave out only pairs that never can', () => {
    const { rows, possible } = coveringRows(VALUES, ({ a, b, c }) => !(a === '1' && b === '2') && !(b === '1' && c === '1'), 1);
    expect(rows.filter(({ a, b, c }) => (a === '1' && b === '2') || (b === '1' && c === '1'))).toEqual([]);
    expect([possible.size, held(rows, possible)]).toEqual([52, 52]);
  });

  it('find a pair that only one completion allows', () => {
    const { rows, possible } = coveringRows(
      VALUES,
      ({ a, b, c, d }) => a !== '1' || b !== '1' || ((c ?? '3') === '3' && (d ?? '3') === '3'),
      1,
    );
    expect([possible.size, held(rows, possible)]).toEqual([54, 54]);
  });

  it('are the same for one seed, and others for another', () => {
    expect(coveringRows(VALUES, anything, 7)).toEqual(coveringRows(VALUES, anything, 7));
    expect(coveringRows(VALUES, anything, 7).rows).not.toEqual(coveringRows(VALUES, anything, 8).rows);
  });

  it('hold the most pairs first', () => {
    const { rows } = coveringRows(VALUES, anything, 1);
    expect(new Set(rows.slice(0, 3).map(({ a }) => a)).size).toBe(3);
  });
});

describe('the scenarios', () => {
  const { list, pairsOf } = allScenarios(1);

  it('have names of one length, of which none begins another', () => {
    expect(new Set(list.map(({ name }) => name)).size).toBe(list.length);
    expect(new Set(list.map(({ name }) => name.length)).size).toBe(1);
  });

  it('can all be, and hold every pair that can be', () => {
    const pairs = pairsOf(list);
    expect(pairs.covered).toBe(pairs.possible);
    expect(pairsOf(list.slice(0, 20)).covered).toBeLessThan(pairs.possible);
    for (const factor of Object.keys(FACTORS) as Factor[])
      expect(new Set(list.map((row) => row[factor]))).toEqual(new Set(FACTORS[factor]));
    expect(list.slice(14).filter((row) => !isPossible(row))).toEqual([]);
  });
});
