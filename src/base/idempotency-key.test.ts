import { expect, it } from 'vitest';
import { idempotencyHeader, idempotencyValue } from './idempotency-key.ts';
import { headerProblem } from './request-header.ts';

it('a plain key is sent unmodified', () => {
  expect(idempotencyValue('uid/1/s1:ab/Failed/alert/shop/on-call')).toBe('uid/1/s1:ab/Failed/alert/shop/on-call');
});

it.each([
  ['a name with a line end', 'uid/a\r\nX-Other: 1', 'uid/a%0D%0AX-Other:%201'],
  ['a name beyond ASCII', 'uid/é', 'uid/%C3%A9'],
  ['a percent sign, which begins an escape', 'uid/%0A', 'uid/%250A'],
  ['half a character', 'uid/\ud800', 'uid/%EF%BF%BD'],
])('%s is escaped', (_, key, value) => {
  expect(idempotencyValue(key)).toBe(value);
  expect(headerProblem(idempotencyHeader, [value])).toBeUndefined();
});

it('a long key is cut, and still differs from each other one', () => {
  const long = 'x'.repeat(100_000);
  const values = [`${long}a`, `${long}b`].map(idempotencyValue);
  expect(values.map(({ length }) => length)).toEqual([255, 255]);
  expect(new Set(values).size).toBe(2);
});
