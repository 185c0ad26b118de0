import { expect, it } from 'vitest';
import { clone } from './json.ts';
import { mergeApplied } from './merge-applied.ts';
import { mergePatch, strategicMerge } from './patch.ts';

const hostile = () => JSON.parse('{"__proto__":{"service":{"port":80}},"name":"x"}');

it('a key that names the prototype stays a key in copies, and gives no copy a field', () => {
  const copy = clone(clone(hostile()));
  expect([JSON.stringify(copy), copy.service]).toEqual([JSON.stringify(hostile()), undefined]);
});

it.each([
  { what: 'a merge patch', merge: mergePatch },
  { what: 'a strategic merge patch', merge: strategicMerge },
  { what: 'an apply', merge: mergeApplied },
])('$what with a key that names the prototype gives the object no field', ({ merge }) => {
  const merged = merge({ name: 'y' }, hostile(), {});
  expect([JSON.stringify(merged), merged.service]).toEqual(['{"name":"x","__proto__":{"service":{"port":80}}}', undefined]);
});
