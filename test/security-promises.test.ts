import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');
const page = readFileSync(join(root, 'docs', 'security.md'), 'utf8');
const [promises = '', table = ''] = page.split('\n## Which test holds it\n');
const rows = [...table.matchAll(/^\| (.*?) ?\| (.+) \| (`.+`) \|$/gm)].map(([, section = '', promise = '', tests = '']) => ({
  section,
  promise,
  tests: [...tests.matchAll(/`([^`]+)`/g)].map(([, file = '']) => file),
}));
const slugOf = (title: string): string => title.toLowerCase().replaceAll(' ', '-');

it('each section of docs/security.md has promises in its table', () => {
  const sections = [...promises.matchAll(/^## (.+)$/gm)].map(([, title = '']) => `#${slugOf(title)}`);
  expect(sections.length).toBeGreaterThan(0);
  expect(rows.flatMap(({ section }) => /\((#.+)\)/.exec(section)?.[1] ?? [])).toEqual(sections);
});

it.each(rows)('$promise: its tests exist', ({ tests }) => {
  expect(tests.filter((file) => !existsSync(join(root, file)))).toEqual([]);
});
