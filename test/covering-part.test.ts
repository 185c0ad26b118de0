import { expect, it } from 'vitest';
import { isChosen, WHOLE } from './fakes/covering-part.ts';

const upTo = (count: number): number[] => Array.from({ length: count }, (_, at) => at);
const [ROWS, COLUMNS] = [upTo(4), upTo(7)];
const cells = ROWS.flatMap((row) => COLUMNS.map((column) => ({ row, column })));

it.each([2, 3, 4])('one cell in %i: every row, every column, and with all seeds every cell once', (oneIn) => {
  const parts = upTo(oneIn).map((seed) => cells.filter(({ row, column }) => isChosen({ oneIn, seed }, row, column)));
  for (const part of parts) {
    expect(new Set(part.map(({ row }) => row)).size).toBe(ROWS.length);
    expect(new Set(part.map(({ column }) => column)).size).toBe(COLUMNS.length);
  }
  expect(parts.flat()).toHaveLength(cells.length);
  expect(new Set(parts.flat())).toEqual(new Set(cells));
});

it('the whole is every cell', () => expect(cells.every(({ row, column }) => isChosen(WHOLE, row, column))).toBe(true));
