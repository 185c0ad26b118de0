import { expect, it } from 'vitest';
import type { StringMatch } from '../../api/string-match.ts';
import { readRouteGroup } from './route-group.ts';

const read = (pattern: string) =>
  readRouteGroup({
    apiVersion: 'specs.smi-spec.io/v1alpha4',
    kind: 'HTTPRouteGroup',
    metadata: { name: 'shop', namespace: 'prod' },
    spec: { matches: [{ name: 'm', headers: [{ 'x-user': pattern }] }] },
  });

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
