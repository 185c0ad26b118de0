import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { removedChecks } from './attacks/removed-checks.ts';

const root = join(import.meta.dirname, '..');

it.each(removedChecks)('item $item, $check: what is taken out is in $file, once, and its tests exist', ({ file, find, replace, tests }) => {
  const text = readFileSync(join(root, file), 'utf8');
  expect(text.split(find)).toHaveLength(2);
  expect(replace).not.toBe(find);
  expect(tests.filter((one) => !existsSync(join(root, one)))).toEqual([]);
});

it('docs/security.md has their number', () => {
  expect(readFileSync(join(root, 'docs', 'security.md'), 'utf8')).toContain(`noticed each of the ${removedChecks.length}.`);
});
