import { expect, it } from 'vitest';
import type { HttpMatch } from '../../api/routes.ts';
import { readHeaders, renderHeaders } from './header-match.ts';

const headers = (count: number): HttpMatch => ({
  headers: Object.fromEntries(Array.from({ length: count }, (_, index) => [`h${index}`, { exact: 'x' }])),
});
const name = (length: number): HttpMatch => ({ headers: { ['n'.repeat(length)]: { exact: 'x' } } });
const text = (length: number): HttpMatch => ({ headers: { a: { prefix: 't'.repeat(length) } } });

it.each([
  { what: '10 headers', entry: headers(10) },
  { what: 'a name of 50 characters', entry: name(50) },
  { what: 'a text of one character', entry: text(1) },
  { what: 'a text of 255 characters', entry: text(255) },
])('App Mesh takes $what, and it is read back', ({ entry }) => {
  expect(readHeaders(renderHeaders(entry, 0))).toEqual(entry);
});

it.each([
  { what: 'no header', entry: headers(0), says: /^analysis\.match\[1\] names no header/ },
  { what: '11 headers', entry: headers(11), says: /^analysis\.match\[1\] names 11 headers: App Mesh takes 10$/ },
  { what: 'a name of 51 characters', entry: name(51), says: /^analysis\.match\[1\]\.headers has a name of more than 50 characters$/ },
  { what: 'an empty text', entry: text(0), says: /^analysis\.match\[1\]\.headers\.a needs a text of 1 to 255/ },
  { what: 'a text of 256 characters', entry: text(256), says: /^analysis\.match\[1\]\.headers\.a needs a text of 1 to 255/ },
])('$what is refused', ({ entry, says }) => expect(() => renderHeaders(entry, 1)).toThrow(says));

it.each([
  { what: 'without a name', header: { match: { exact: 'x' } } },
  { what: 'without a condition', header: { name: 'a' } },
  { what: 'that must not hold', header: { name: 'a', match: { exact: 'x' }, invert: true } },
  { what: 'that is null', header: null },
])('a header $what is not ours', ({ header }) => {
  expect(readHeaders([header])).toBeUndefined();
  expect(readHeaders([{ name: 'b', match: { exact: 'x' } }, header])).toBeUndefined();
});

it('two conditions of one name are not ours, and ours come in the order of their names', () => {
  const one = { name: 'a', match: { exact: 'x' } };
  expect(readHeaders([one, one])).toBeUndefined();
  expect(renderHeaders({ headers: { b: { exact: 'x' }, a: { exact: 'x' } } }, 0).map((header) => header.name)).toEqual(['a', 'b']);
});
