import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mergeJson, mergePatchOf } from './json-merge.ts';

const withoutNull = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value).replaceAll('null', '0')));
const aRecord = fc.dictionary(
  fc.string({ minLength: 1, maxLength: 3 }).filter((key) => !['__proto__'].includes(key)),
  withoutNull,
);

describe('a merge patch', () => {
  it('of two values makes the second of the first', () =>
    fc.assert(
      fc.property(aRecord, aRecord, (before, after) => {
        const patch = mergePatchOf(before, after);
        expect(patch === undefined ? before : mergeJson(before, patch)).toEqual(after);
      }),
    ));

  it('of equal values is none', () => expect(mergePatchOf({ a: [1], b: { c: 2 } }, { a: [1], b: { c: 2 } })).toBeUndefined());

  it('I16: reaches no prototype', () => {
    const merged = mergeJson({}, JSON.parse('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}'));
    expect([Object.keys(merged as object), ({} as { polluted?: number }).polluted]).toEqual([[], undefined]);
  });
});
