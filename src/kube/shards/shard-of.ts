import { createHash } from 'node:crypto';

/**
 * The shard of a Canary among this many: rendezvous hashing, so that another count moves no more Canaries than it must. Depends only on namespace and name, so
 * that every process and every command computes the same shard.
 */
export function shardOf({ namespace = '', name }: { namespace?: string | undefined; name: string }, shards: number): number {
  let best = { shard: 0, score: -1 };
  for (let shard = 0; shards > 1 && shard < shards; shard += 1) {
    const score = createHash('sha256').update(`${shard}/${namespace}/${name}`).digest().readUIntBE(0, 6);
    if (score > best.score) best = { shard, score };
  }
  return best.shard;
}
