import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startBareCluster } from '../bench/bare-cluster.ts';
import { watchCanaries } from '../bench/canary-watch.ts';
import { ShardAudit } from '../scenarios/shards/audit.ts';
import { playShardKills } from '../scenarios/shards/kill-run.ts';
import { LEASE_NAMESPACE, ShardedSerin } from '../scenarios/shards/sharded-serin.ts';

const sizeOf = (variable: string, otherwise: number): number => Number(process.env[variable] ?? otherwise);

/** Processes of the shipped program; `SHARD_CANARIES=30 SHARD_KILLS=6 SHARD_SEED=…` plays a smaller run, or one again. */
it('I9: five replicas share three shards while one of them is killed every 20 s, with processes and in real time', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'serin-shards-'));
  const bare = await startBareCluster();
  const watch = watchCanaries(bare.cluster);
  const audit = new ShardAudit(bare.cluster, LEASE_NAMESPACE);
  const serin = new ShardedSerin(bare, folder);
  const [canaries, kills, seed] = [sizeOf('SHARD_CANARIES', 300), sizeOf('SHARD_KILLS', 30), sizeOf('SHARD_SEED', 1)];
  try {
    const report = await playShardKills({ bare, serin, audit, watch, canaries, kills, seed, replicas: 5, shards: 3, everyMs: 20_000 });
    process.stdout.write(`${JSON.stringify(report)}\n`);
    expect(report).toMatchObject({ trespasses: [], failed: 0, isComplete: true, complaints: [] });
    expect(report.harmful).toBeGreaterThan(0);
    // The duration of the lease, and 5 s.
    expect(report.longestGapMs).toBeLessThanOrEqual(20_000);
  } finally {
    await serin.stop();
    audit.stop();
    watch.stop();
    await bare.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});
