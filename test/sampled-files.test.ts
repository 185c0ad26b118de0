import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { leftOut, SAMPLED } from './fakes/sampled-files.ts';

const upTo = (count: number): number[] => Array.from({ length: count }, (_, at) => at);
const paths = SAMPLED.map((name) => `test/integration/${name}.test.ts`);

it.each(paths)('%s is a file', (path) => expect(existsSync(join(import.meta.dirname, '..', path))).toBe(true));

it('a quarter is run each day, and within a month every file, with every part of its own matrix', () => {
  const run = (seed: number) => paths.filter((path) => !leftOut([], { oneIn: 4, seed }).includes(path));
  const seeds = upTo(120);
  for (const seed of seeds) expect(run(seed)).toHaveLength(Math.ceil(paths.length / 4));
  expect(new Set(seeds.slice(0, 30).flatMap(run))).toEqual(new Set(paths));
  const seen = new Set(seeds.flatMap((seed) => run(seed).map((path) => `${path} ${seed % 3}`)));
  expect(seen.size).toBe(paths.length * 3);
});

it('no file is left out of the whole, and a named file always runs', () => {
  expect(leftOut([], { oneIn: 1, seed: 0 })).toEqual([]);
  for (const seed of upTo(3)) {
    expect(leftOut(['test/integration/stalls.test.ts'], { oneIn: 4, seed })).not.toContain('test/integration/stalls.test.ts');
    expect(leftOut(['run', 'shards'], { oneIn: 4, seed })).not.toContain('test/integration/shards.test.ts');
  }
});
