import { expect, it } from 'vitest';
import { MOST_SHARDS } from '../permissions.ts';
import { shardGroupName, shardsOfGroup } from './shard-keeper.ts';

it.each([2, 3, MOST_SHARDS])('I9: the holder of the group lease names the number of its replicas: %i shards', (shards) => {
  expect(shardsOfGroup(shardGroupName(shards))).toBe(shards);
});

it.each([
  ['', 'no one'],
  ['serin-7f9c-x2', 'one replica'],
  ['serin-shards-', 'no number'],
  ['serin-shards-1', 'one shard, which one replica holds alone'],
  [`serin-shards-${MOST_SHARDS + 1}`, 'more shards than there can be'],
  ['my-serin-shards-3', 'another name that ends like ours'],
  ['serin-shards-3-old', 'another name that begins like ours'],
])('I9: a group lease held by "%s" names no number of shards: %s', (holder) => {
  expect(shardsOfGroup(holder)).toBeUndefined();
});
