import { expect, it } from 'vitest';
import type { StringMatch } from '../../api/string-match.ts';
import { readRouteGroup } from './route-group.ts';

const readMatches = (matches: unknown) =>
  readRouteGroup({
    apiVersion: 'specs.smi-spec.io/v1alpha4',
    kind: 'HTTPRouteGroup',
    metadata: { name: 'shop', namespace: 'prod' },
    spec: { matches },
  });
const read = (pattern: string) => readMatches([{ name: 'm', headers: [{ 'x-user': pattern }] }]);

it.each<[string, StringMatch]>([
  ['^insider$', { exact: 'insider' }],
  ['^in.*$', { prefix: 'in' }],
  ['^.*er$', { suffix: 'er' }],
  ['^(?:a|b)$', { regex: 'a|b' }],
  ['^[ab]+$', { regex: '^[ab]+$' }],
  ['in', { regex: 'in' }],
])('the pattern %s of a header is read as %j', (pattern, condition) => {
  expect(read(pattern)).toEqual({ match: [{ headers: { 'x-user': condition } }] });
});

it.each([
  { what: 'a map', headers: { a: '^x$', b: '^y$' } },
  { what: 'a list of maps', headers: [{ a: '^x$' }, { b: '^y$' }] },
])('headers in $what must all hold', ({ headers }) => {
  expect(readMatches([{ headers }, { headers: { c: 'z' } }])).toEqual({
    match: [{ headers: { a: { exact: 'x' }, b: { exact: 'y' } } }, { headers: { c: { regex: 'z' } } }],
  });
});

it.each([
  { what: 'no matches', matches: undefined, says: 'has no matches' },
  { what: 'an empty list', matches: [], says: 'has no matches' },
  { what: 'a path', matches: [{ headers: { a: 'x' } }, { headers: { a: 'x' }, pathRegex: '/api' }], says: 'more than headers' },
  { what: 'methods', matches: [{ headers: { a: 'x' }, methods: ['GET'] }], says: 'more than headers' },
  { what: 'a match without headers', matches: [{ headers: { a: 'x' } }, {}], says: 'without headers' },
  { what: 'a match with an empty list of headers', matches: [{ headers: [] }], says: 'without headers' },
  { what: 'a match that is null', matches: [null], says: 'without headers' },
])('a group with $what is unreadable', ({ matches, says }) => {
  expect(readMatches(matches)).toEqual({ unreadable: expect.stringMatching(`^HTTPRouteGroup shop .*${says}$`) });
});
