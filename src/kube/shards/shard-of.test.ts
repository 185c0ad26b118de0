import { expect, it } from 'vitest';
import { shardOf } from './shard-of.ts';

const canaries = Array.from({ length: 3_000 }, (_, index) => ({ namespace: `team-${index % 40}`, name: `app-${index}` }));

it('never changes: replicas of two versions must compute the same shard', () => {
  expect([2, 3, 5, 16].map((shards) => shardOf({ namespace: 'test', name: 'podinfo' }, shards))).toEqual([1, 1, 1, 6]);
  expect([2, 3, 5, 16].map((shards) => shardOf({ namespace: 'shop', name: 'cart' }, shards))).toEqual([1, 2, 4, 11]);
  expect(shardOf({ name: 'podinfo' }, 1)).toBe(0);
});

it.each([2, 3, 5, 16])('%i shards get about the same number of Canaries', (shards) => {
  const counts = Array.from({ length: shards }, () => 0);
  for (const canary of canaries) {
    const shard = shardOf(canary, shards);
    counts[shard] = (counts[shard] ?? 0) + 1;
  }
  const mean = canaries.length / shards;
  // Five standard deviations.
  for (const count of counts) expect(Math.abs(count - mean)).toBeLessThan(5 * Math.sqrt(mean));
});

it('one shard more moves Canaries only into the new shard', () => {
  const moved = canaries.filter((canary) => shardOf(canary, 3) !== shardOf(canary, 4));
  expect(new Set(moved.map((canary) => shardOf(canary, 4)))).toEqual(new Set([3]));
});
