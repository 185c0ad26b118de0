import fc from 'fast-check';
import { expect, it } from 'vitest';
import { quotedPieces } from './quoted-pieces.ts';

/** The same as a regular expression, which takes quadratic time on `\"\"\"…`. */
const QUOTED = /"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`[^`]*`/g;

it.each(['', 'up', '"a"', `it's "a"`, '"a\\"b" \'c\' `d"`', '"a', '\\"a"', `"a\\\n" 'b'`, '`a\\`', '"\\'])(
  'finds what is quoted in %j',
  (query) => {
    const quoted = quotedPieces(query).filter(({ isQuoted }) => isQuoted);
    expect(quoted.map(({ text }) => text)).toEqual([...query.matchAll(QUOTED)].map(([text]) => text));
  },
);

it('finds the same in any text, and leaves nothing out', () => {
  const characters = fc.constantFrom('"', "'", '`', '\\', 'a', '\n', ' ');
  fc.assert(
    fc.property(fc.string({ unit: characters, maxLength: 40 }), (query) => {
      const pieces = quotedPieces(query);
      expect(pieces.map(({ text }) => text).join('')).toBe(query);
      expect(pieces.filter(({ isQuoted }) => isQuoted).map(({ text }) => text)).toEqual([...query.matchAll(QUOTED)].map(([text]) => text));
    }),
    { numRuns: 2000 },
  );
});
