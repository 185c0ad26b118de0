import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { linePattern } from './line-pattern.ts';

function matches(pattern: string, line: string, kind: 'fixed' | 'basic' | 'extended' = 'basic', ignoresCase = false): boolean | string {
  const read = linePattern(pattern, kind, { ignoresCase, wholeLine: false });
  return 'problem' in read ? read.problem : read.matches(line);
}

describe('linePattern', () => {
  it.each([
    ['token', '{"token":"abc"}', true],
    ['^{"token"', '{"token":"abc"}', true],
    ['^token', '{"token":"abc"}', false],
    ['abc"}$', '{"token":"abc"}', true],
    ['abc$', '{"token":"abc"}', false],
    ['t.*n', '{"token":"abc"}', true],
    ['"status": *"\\(', '', 'its pattern has groups or counts'],
    ['[0-9][0-9]*ms', 'took 12ms', true],
    ['[^0-9]ms', 'took 12ms', false],
    ['[[:digit:]]\\+ms', 'took 12ms', true],
    ['[]x]', 'a]b', true],
    ['ok\\|fine', 'all is fine', true],
    ['a+b', 'a+b', true],
    ['a+b', 'aab', false],
    ['1\\.2', '1x2', false],
    ['\\w\\s\\W', 'a b-', false],
    ['\\w\\s', 'a b-', true],
    ['$5', 'price $5', true],
    ['*', 'a*b', true],
    ['a\\', 'a', 'its pattern ends with a backslash'],
    ['[a', 'a', 'its pattern has a `[` without `]`'],
    ['\\(a\\)\\1', 'aa', 'its pattern has groups or counts'],
    ['\\bword', 'word', 'its pattern has \\b'],
    ['x'.repeat(129), 'x', 'its pattern is longer than 128 characters'],
    ['', 'anything', true],
  ])('reads %s as grep does, in %s: %s', (pattern, line, expected) => {
    expect(matches(pattern, line)).toBe(expected);
  });

  it('reads the extended form', () => {
    expect(matches('(ok)', 'ok', 'extended')).toBe('its pattern has groups or counts');
    expect(matches('a+b|^c$', 'xaab', 'extended')).toBe(true);
    expect(matches('a+b|^c$', 'c', 'extended')).toBe(true);
    expect(matches('a+b|^c$', 'cc', 'extended')).toBe(false);
    expect(matches('1\\+1', '1+1', 'extended')).toBe(true);
    expect(matches('T.KEN', 'token', 'extended', true)).toBe(true);
    expect(matches('t.ken', 'token', 'fixed')).toBe(false);
  });

  it('agrees with the expressions of JavaScript wherever these mean the same', () => {
    const atom = fc.constantFrom('a', 'b', '.', '[ab]', '[^a]');
    const piece = fc.tuple(atom, fc.constantFrom('', '*', '+', '?')).map((parts) => parts.join(''));
    const pattern = fc
      .tuple(fc.constantFrom('', '^'), fc.array(piece, { minLength: 1, maxLength: 5 }), fc.constantFrom('', '$'))
      .map(([start, pieces, end]) => start + pieces.join('') + end);
    const line = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 12 });
    fc.assert(
      fc.property(pattern, line, (text, within) => {
        expect(matches(text, within, 'extended')).toBe(new RegExp(text).test(within));
      }),
      { numRuns: 1000 },
    );
  });

  it('takes no longer for a pattern that makes others explode', () => {
    const line = 'a'.repeat(100_000);
    expect(matches('a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b', line)).toBe(false);
  });
});
