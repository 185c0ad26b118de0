import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { KubeCluster } from '../../src/kube/kube-cluster.ts';
import { startBareCluster } from '../bench/bare-cluster.ts';
import { watchCanaries } from '../bench/canary-watch.ts';
import { ShardAudit } from '../scenarios/shards/audit.ts';
import { type KillReport, playShardKills } from '../scenarios/shards/kill-run.ts';
import { startRealShards } from '../scenarios/shards/real-shards.ts';
import { LEASE_NAMESPACE, ShardedSerin } from '../scenarios/shards/sharded-serin.ts';

const sizeOf = (variable: string, otherwise: number): number => Number(process.env[variable] ?? otherwise);

/** `SHARD_CANARIES=30 SHARD_KILLS=6 SHARD_SEED=…` plays a smaller run, or one again. */
const [canaries, kills, seed] = [sizeOf('SHARD_CANARIES', 300), sizeOf('SHARD_KILLS', 30), sizeOf('SHARD_SEED', 1)];
const REPLICAS = 5;

/** Processes of the shipped program, in real time. */
async function play(cluster: KubeCluster, kubeconfigFileOf: (process: number) => string): Promise<KillReport> {
  const folder = mkdtempSync(join(tmpdir(), 'serin-shards-'));
  const watch = watchCanaries(cluster);
  const audit = new ShardAudit(cluster, LEASE_NAMESPACE);
  const serin = new ShardedSerin(kubeconfigFileOf, folder);
  try {
    return await playShardKills({ cluster, serin, audit, watch, canaries, kills, seed, replicas: REPLICAS, shards: 3, everyMs: 20_000 });
  } finally {
    await serin.stop();
    audit.stop();
    watch.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function judge(report: KillReport): void {
  expect(report).toMatchObject({ trespasses: [], failed: 0, isComplete: true, complaints: [] });
  expect(report.harmful).toBeGreaterThan(0);
  // The duration of the lease, and 5 s.
  expect(report.longestGapMs).toBeLessThanOrEqual(20_000);
}

it('I9: five replicas share three shards while one of them is killed every 20 s, with processes and in real time', async () => {
  const bare = await startBareCluster();
  try {
    const report = await play(bare.cluster, () => bare.kubeconfigFile);
    process.stdout.write(`${JSON.stringify(report)}\n`);
    judge(report);
  } finally {
    await bare.stop();
  }
});

it('I9: the same on a real control plane, where the audit log shows each write by a process that holds the leases of the shard', async () => {
  const real = await startRealShards(REPLICAS + kills);
  try {
    const report = await play(real.cluster, real.kubeconfigFileOf).catch((error: unknown) => {
      real.endAudit();
      // Two processes on one Canary hold each other up: what they wrote says why the run did not end.
      throw new Error(`the run did not end; trespasses: ${JSON.stringify(real.leaseAudit.trespasses.slice(0, 20))}`, { cause: error });
    });
    real.endAudit();
    const { checked, processes, trespasses } = real.leaseAudit;
    process.stdout.write(`${JSON.stringify({ ...report, audited: { checked, processes, trespasses } })}\n`);
    judge(report);
    expect(trespasses).toEqual([]);
    expect(processes).toBe(report.processes);
    // A log without one of these proves less than it seems.
    const kinds = ['canaries/status', 'events', 'virtualservices', 'deployments/scale', 'deployments'];
    expect(kinds.filter((kind) => !Object.keys(checked).some((what) => what.endsWith(` ${kind}`)))).toEqual([]);
  } finally {
    await real.stop();
  }
});
