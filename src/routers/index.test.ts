import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const folders = readdirSync(import.meta.dirname, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && existsSync(join(import.meta.dirname, entry.name, 'index.ts')))
  .map(({ name }) => name);
const table = readFileSync(join(import.meta.dirname, 'definitions.ts'), 'utf8');

it('every folder with a definition is in the table', () => {
  expect(folders.length).toBeGreaterThan(10);
  expect(folders.filter((name) => !table.includes(`from './${name}/index.ts'`))).toEqual([]);
});

it.each(folders)('%s has its router in a file of that name, or one for each version', (name) => {
  const files = readdirSync(join(import.meta.dirname, name));
  expect(files.filter((file) => /^(router|.*-v\d\w*)\.ts$/.test(file))).not.toEqual([]);
});
