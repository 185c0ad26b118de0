import { expect, it } from 'vitest';
import { firstDifference } from './first-difference.ts';

const env = (...names: string[]) => names.map((name) => ({ name, value: name }));
const unnamed = (count: number) => Array.from({ length: count }, (_, at) => ({ key: `k${at}` }));

it.each([
  { is: 'an entry of another name that a webhook adds', held: env('a', 'b', 'x'), rendered: env('a', 'b'), difference: undefined },
  { is: 'one that is added in front', held: env('x', 'a', 'b'), rendered: env('a', 'b'), difference: undefined },
  { is: 'one that is lost', held: env('a'), rendered: env('a', 'b'), difference: 'env[1]' },
  {
    is: 'another value under the same name',
    held: [{ name: 'a', value: 'z' }, ...env('b', 'x')],
    rendered: env('a', 'b'),
    difference: 'env[2]',
  },
  { is: 'one that was there before', held: env('a', 'old'), rendered: env('a'), before: env('a', 'old'), difference: 'env[1]' },
  { is: 'a text', held: ['a', 'x'], rendered: ['a'], difference: undefined },
  { is: 'a text that is lost', held: ['a', 'x'], rendered: ['b'], difference: 'env[1]' },
  { is: 'an entry without name', held: unnamed(3), rendered: unnamed(2), difference: undefined },
  { is: 'a name for an entry without one', held: [{ name: 'n', key: 'k0' }, { key: 'x' }], rendered: unnamed(1), difference: undefined },
  { is: 'more than 100 that only a full comparison distinguishes', held: unnamed(102), rendered: unnamed(101), difference: 'env' },
])('finds $is', ({ held, rendered, before = [], difference }) => {
  expect(firstDifference(held, rendered, 'env', {}, { held: before })).toBe(difference);
});
