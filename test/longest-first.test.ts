import { globSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { TestSpecification } from 'vitest/node';
import { isNamed, LONGEST, LongestFirst } from './fakes/longest-first.ts';

const ROOT = join(import.meta.dirname, '..');
const files = globSync(['src/**/*.test.ts', 'test/**/*.test.ts'], { cwd: ROOT });
const isLong = (file: string): boolean => LONGEST.some((name) => isNamed(`/${file}`, name));

it.each(LONGEST)('%s is one file', (name) => {
  expect(files.filter((file) => isNamed(`/${file}`, name))).toHaveLength(1);
});

it('each of the longest files is part of one shard, and any other of all', async () => {
  const specifications = files.map((file) => ({ moduleId: `/${file}` }) as TestSpecification);
  const shards = [];
  for (const index of [1, 2, 3]) {
    const sequencer = new LongestFirst({ config: { shard: { index, count: 3 } } } as never);
    shards.push(...(await sequencer.shard(specifications)).map(({ moduleId }) => moduleId.slice(1)));
  }
  const others = files.filter((file) => !isLong(file));
  expect(shards.toSorted()).toEqual([...files.filter(isLong), ...others, ...others, ...others].toSorted());
});
