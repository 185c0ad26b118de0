import { expect, it } from 'vitest';
import { parseQuantity } from './quantity.ts';

it.each([
  ['100', 100],
  ['100m', 0.1],
  ['0', 0],
  ['1k', 1000],
  ['1Ki', 1024],
  ['2e3', 2000],
  ['2E', 2e18],
  ['1.5M', 1_500_000],
  ['.5', 0.5],
  ['-1', -1],
  ['250n', 2.5e-7],
  ['', undefined],
  ['1 k', undefined],
  ['1K', undefined],
  ['m', undefined],
  ['1em', undefined],
])('the quantity %j is %s', (text, number) => expect(parseQuantity(text)).toBe(number));
