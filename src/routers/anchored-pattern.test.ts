import { expect, it } from 'vitest';
import type { StringMatch } from '../api/string-match.ts';
import { anchoredPattern, readAnchoredPattern } from './anchored-pattern.ts';

it.each<[StringMatch, string]>([
  [{ exact: 'a.b' }, '^a\\.b$'],
  [{ prefix: '/v1.' }, '^/v1\\.'],
  [{ suffix: '.io' }, '\\.io$'],
  [{ regex: 'a|b' }, '^(?:a|b)$'],
])('%j is written as the pattern %s, and read from it again', (condition, pattern) => {
  expect(anchoredPattern(condition)).toBe(pattern);
  expect(readAnchoredPattern(pattern)).toEqual(condition);
});

it.each(['a.b', '^a.b$', '^a.b', 'a.b$', ''])('the pattern "%s" of another writer is not read', (pattern) => {
  expect(readAnchoredPattern(pattern)).toBeUndefined();
});
