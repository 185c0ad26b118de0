import { globSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { LONGEST } from './fakes/longest-first.ts';

const ROOT = join(import.meta.dirname, '..');
const files = globSync(['src/**/*.test.ts', 'test/**/*.test.ts'], { cwd: ROOT });

it.each(LONGEST)('%s is one file', (name) => {
  expect(files.filter((file) => `/${file}`.endsWith(`/${name}.test.ts`))).toHaveLength(1);
});
