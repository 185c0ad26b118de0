import fc from 'fast-check';
import { expect, it } from 'vitest';
import { canonicalJson, isRecord } from './json.ts';

/** Sorts by a replacer, key by key. */
const byReplacer = (value: unknown): string =>
  JSON.stringify(value, (_key, inner: unknown) =>
    isRecord(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
  ) ?? 'null';

// Numeric names come first in an object, in any order of assignment.
const name = fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', '10', '9', '', 'ä', 'a\u0000'));
const { json } = fc.letrec((tie) => ({
  json: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, undefined, Number.NaN, -0, 1e21),
    fc.string(),
    fc.double(),
    fc.boolean(),
    fc.array(tie('json'), { maxLength: 4 }),
    fc.array(fc.tuple(name, tie('json')), { maxLength: 5 }).map((entries) => Object.fromEntries(entries)),
  ),
}));

it('canonical JSON has the text that a sorting replacer makes, for any names', () => {
  fc.assert(
    fc.property(json, (value) => {
      expect(canonicalJson(value)).toBe(byReplacer(value));
    }),
    { numRuns: 2_000 },
  );
});

it('canonical JSON keeps a key __proto__, so that it cannot hide a change', () => {
  expect(canonicalJson(JSON.parse('{"b":1,"__proto__":{"d":1,"c":2}}'))).toBe('{"__proto__":{"c":2,"d":1},"b":1}');
});
