import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createListItems } from './list-items.ts';

/** The items and the rest of a text that comes in chunks of so many bytes. */
function read(text: string, size: number): { items: unknown[]; rest: string } {
  const items: unknown[] = [];
  const list = createListItems((item) => items.push(item));
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) list.push(bytes.subarray(at, at + size));
  return { items, rest: list.rest() };
}

describe('the items of a list', () => {
  const items = [
    { metadata: { name: 'ä "quoted" \\', annotations: { json: '{"items":[{"a":"}]"}]}' } }, spec: { items: [{ deep: [[{}]] }] } },
    {},
    { spec: [] },
  ];
  const list = { kind: 'List', metadata: { continue: 'é"items":[{', resourceVersion: '12' }, items };

  it.each([1, 2, 3, 7, 1_000])('are those of JSON.parse, in chunks of %i bytes', (size) => {
    for (const text of [JSON.stringify(list), JSON.stringify(list, undefined, 2)]) {
      const answer = read(text, size);
      expect(answer.items).toEqual(items);
      expect(JSON.parse(answer.rest)).toEqual({ ...list, items: [0, 0, 0] });
    }
  });

  it('are those of JSON.parse, wherever chunks end in texts that hold quotes, backslashes and brackets', () => {
    const text = fc.array(fc.constantFrom('"', '\\', '{', '}', '[', ']', 'é', 'a', '\n')).map((characters) => characters.join(''));
    fc.assert(
      fc.property(fc.array(fc.dictionary(text, text, { maxKeys: 4 })), fc.integer({ min: 1, max: 40 }), (objects, size) => {
        const answer = read(JSON.stringify({ kind: 'List', items: objects }), size);
        expect(answer.items).toEqual(objects);
        expect(JSON.parse(answer.rest)).toEqual({ kind: 'List', items: objects.map(() => 0) });
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ['null', { kind: 'List', items: null }],
    ['absent', { kind: 'Status', details: { items: [{ a: 1 }] } }],
    ['empty', { items: [], 'more "items': [{ a: 1 }] }],
  ])('are none where they are %s', (_, value) => {
    const { items, rest } = read(JSON.stringify(value), 3);
    expect(items).toEqual([]);
    expect(JSON.parse(rest)).toEqual(value);
  });

  it('are refused where their text is not JSON', () => {
    expect(() => read('{"items":[{"a":]}]}', 4)).toThrow(SyntaxError);
    expect(() => JSON.parse(read('{"items":[{"a":1}{"a":2}]}', 4).rest)).toThrow(SyntaxError);
    expect(() => JSON.parse(read('{"items":[{"a":1}', 4).rest)).toThrow(SyntaxError);
  });
});
