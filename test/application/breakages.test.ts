import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { planeBreakages, routeBreakages } from './arrival/routes/breakages.ts';
import { breakages } from './breakages.ts';

const src = join(import.meta.dirname, '..', '..', 'src');
const changes = [...breakages, ...routeBreakages, ...planeBreakages].flatMap(({ name, changes: all }) =>
  all.map((change, index) => ({ what: `${name}, change ${index + 1}`, ...change })),
);

it.each(changes)('$what: the code that it replaces is in $file, once', ({ file, find }) => {
  expect(readFileSync(join(src, file), 'utf8').split(find)).toHaveLength(2);
});
