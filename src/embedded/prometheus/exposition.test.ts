import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ExpositionReader, parseExposition } from './exposition.ts';

const aSeries = fc.constantFrom('a', 'a_b', 'a{b="1"}', 'a{b="12"}', 'a{b="}"}', 'a{b="x",c="\\"y\\" z"}', ' a {b="1"}', 'a{ b="1" }');
const aLine = fc.oneof(
  { weight: 9, arbitrary: fc.tuple(aSeries, fc.constantFrom(' 1', ' 2', ' 2.5', ' 1 17', ' NaN', '  3 ')).map((parts) => parts.join('')) },
  { weight: 1, arbitrary: fc.constantFrom('', '# TYPE a counter', '#') },
);
/** One text after the other, each with some lines replaced, added and removed. */
const texts = fc
  .tuple(
    fc.array(aLine, { maxLength: 12 }),
    fc.array(fc.tuple(fc.nat(12), fc.nat(2), fc.array(aLine, { maxLength: 2 })), { maxLength: 12 }),
  )
  .map(([first, edits]) => {
    const lines = [...first];
    const edited = edits.map(([at, removed, added]) => {
      lines.splice(at, removed, ...added);
      return lines.join('\n');
    });
    return [first.join('\n'), ...edited];
  });

it('a reader with earlier texts reads the same as a new reader', () => {
  fc.assert(
    fc.property(texts, (each) => {
      const reader = new ExpositionReader();
      for (const text of each) expect(reader.read(text)).toEqual(parseExposition(text));
    }),
  );
});

it.each(['a{b="1"} 1 1 1', 'a{b="1"}1x', 'a{b="1"} } 2', 'a{b="1"', 'a{b="1"} ', '1a 3'])(
  '%s is refused, with its line, also after a scrape in which the series was well',
  (line) => {
    const reader = new ExpositionReader();
    reader.read('a{b="1"} 1\nz 1');
    expect(() => reader.read(`${line}\nz 1`)).toThrow('line 1 is not a sample');
    expect(reader.read('a{b="1"} 2')).toEqual([{ labels: { __name__: 'a', b: '1' }, value: 2 }]);
  },
);
