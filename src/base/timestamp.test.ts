import { expect, it } from 'vitest';
import { timestamp } from './timestamp.ts';

it.each([
  [1_795_339_801_999, '2026-11-22T09:30:01Z'],
  [0, '1970-01-01T00:00:00Z'],
  [-1, '1969-12-31T23:59:59Z'],
  [-1e300, '0000-01-01T00:00:00Z'],
  [8.64e15, '9999-12-31T23:59:59Z'],
  [1e300, '9999-12-31T23:59:59Z'],
  [Number.NaN, '0000-01-01T00:00:00Z'],
  [Number.POSITIVE_INFINITY, '9999-12-31T23:59:59Z'],
])('the time %d is written as %s', (ms, written) => expect(timestamp(ms)).toBe(written));
