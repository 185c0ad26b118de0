import { expect, it } from 'vitest';
import { BackOff } from './back-off.ts';

const pauses = (backOff: BackOff, count: number): number[] => Array.from({ length: count }, () => backOff.next());

it('pauses double up to the longest, and start again after a success', () => {
  const backOff = new BackOff({ from: 500, to: 3_000 });
  expect(pauses(backOff, 5)).toEqual([500, 1_000, 2_000, 3_000, 3_000]);
  backOff.reset();
  expect(pauses(backOff, 2)).toEqual([500, 1_000]);
});
