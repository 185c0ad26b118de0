import { describe, expect, it } from 'vitest';
import { columnsOf, firstColumns, fits, lastColumns, padded } from './columns.ts';

describe('columns on a terminal', () => {
  it.each([
    { text: 'podinfo', columns: 7 },
    { text: '商店', columns: 4 },
    { text: '가게', columns: 4 },
    { text: 'ｶﾅ', columns: 2 },
    { text: '🚀 ok', columns: 5 },
    { text: 'e\u0301', columns: 1 },
    { text: '▁█…≥', columns: 4 },
  ])('$text takes $columns', ({ text, columns }) => {
    expect(columnsOf(text)).toBe(columns);
    expect(columnsOf(padded(text, 9))).toBe(9);
    expect([fits(text, columns), fits(text, columns - 1)]).toEqual([true, false]);
  });
  it('a wide character is shown whole or not at all', () => {
    expect([0, 1, 2, 3, 4, 5].map((columns) => firstColumns('商店x', columns))).toEqual(['', '', '商', '商', '商店', '商店x']);
    expect([0, 1, 2, 3, 4, 5].map((columns) => lastColumns('x商店', columns))).toEqual(['', '', '店', '店', '商店', 'x商店']);
  });
  it('an accent stays with its letter', () => {
    expect(firstColumns('e\u0301e\u0301', 1)).toBe('e\u0301');
  });
  it('a text of marks without columns also ends', () => {
    const marks = `e${'\u0301'.repeat(1_000_000)}`;
    expect(fits(marks, 10)).toBe(false);
    expect(firstColumns(marks, 10)).toHaveLength(80);
  });
});
