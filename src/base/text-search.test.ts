import fc from 'fast-check';
import { expect, it } from 'vitest';
import { textSearch } from './text-search.ts';

it.each([
  ['abab', 'ab', { ends: [2, 4], begun: 0 }],
  ['aaaa', 'aaa', { ends: [3], begun: 1 }],
  ['xxaba', 'abac', { ends: [], begun: 3 }],
  ['', 'a', { ends: [], begun: 0 }],
])('finds in %j the part %j', (text, part, found) => expect(textSearch(text, part)).toEqual(found));

it('finds what replaceAll finds', () => {
  const few = fc.constantFrom('a', 'b');
  fc.assert(
    fc.property(fc.string({ unit: few, maxLength: 30 }), fc.string({ unit: few, minLength: 1, maxLength: 5 }), (text, part) => {
      const { ends, begun } = textSearch(text, part);
      expect(ends.length).toBe(text.split(part).length - 1);
      const rest = text.slice(ends.at(-1) ?? 0);
      expect(rest.endsWith(part.slice(0, begun))).toBe(true);
      for (let length = begun + 1; length < part.length; length += 1) expect(rest.endsWith(part.slice(0, length))).toBe(false);
    }),
    { numRuns: 2000 },
  );
});
