import type { KubeCluster } from '../../../src/kube/kube-cluster.ts';
import { changeImage, createApplications, forEachIndex } from '../../bench/applications.ts';
import type { CanaryWatch } from '../../bench/canary-watch.ts';
import { drawer } from '../../fakes/model/life.ts';
import type { Raw } from '../../fakes/raw.ts';
import { eventually } from '../eventually.ts';
import { sleep } from '../world.ts';
import type { ShardAudit } from './audit.ts';
import type { ShardedSerin } from './sharded-serin.ts';

const BOUND_MS = 1_200_000;
/** About a minute. */
const RELEASE = { analysis: { interval: '10s', stepWeight: 10, maxWeight: 50 } };

interface KillRun {
  cluster: KubeCluster;
  serin: ShardedSerin;
  audit: ShardAudit;
  watch: CanaryWatch;
  canaries: number;
  replicas: number;
  shards: number;
  kills: number;
  everyMs: number;
  seed: number;
}

export interface KillReport {
  /** Releases of each Canary. */
  rounds: number;
  /** Kills of a replica that held a shard. */
  harmful: number;
  longestGapMs: number;
  trespasses: string[];
  failed: number;
  /** Each release of each Canary has ended as Succeeded, once. */
  isComplete: boolean;
  complaints: string[];
  processes: number;
}

/** Releases all Canaries again and again while one replica after the other is killed and replaced. */
export async function playShardKills({
  cluster,
  serin,
  audit,
  watch,
  canaries,
  replicas,
  shards,
  kills,
  everyMs,
  seed,
}: KillRun): Promise<KillReport> {
  const draw = drawer(seed);
  const allAre = (phase: string) => watch.until(canaries, `are ${phase}`, ({ status }: Raw) => status?.phase === phase, BOUND_MS);
  await createApplications(cluster, canaries, 'istio', RELEASE);
  for (let each = 0; each < replicas; each += 1) serin.start(shards);
  await allAre('Initialized');
  let areOver = false;
  let rounds = 0;
  const releases = async () => {
    while (!areOver) {
      rounds += 1;
      await forEachIndex(canaries, (index) => changeImage(cluster, index, String(rounds + 1)));
      await allAre('Progressing');
      await allAre('Succeeded');
    }
  };
  let harmful = 0;
  const harms = async () => {
    for (let kill = 0; kill < kills; kill += 1) {
      await sleep(everyMs);
      const victim = serin.alive[draw(0, serin.alive.length)];
      if (victim === undefined) throw new Error('no replica');
      if (victim.held().length > 0) harmful += 1;
      await serin.end(victim, 'KILL');
      serin.start(shards);
    }
    areOver = true;
  };
  await Promise.all([releases(), harms()]);
  await eventually(
    'every shard is held',
    () => new Set(serin.alive.flatMap((replica) => replica.held())).size,
    (held) => held === shards,
  );
  const { succeeded, failed } = await eventually(
    'the audit has seen the end of every release',
    () => audit.endings,
    (endings) => endings.failed + endings.succeeded.reduce((sum, times) => sum + times, 0) >= canaries * rounds,
  );
  return {
    ...{ rounds, harmful, failed },
    longestGapMs: serin.longestGapMs(canaries),
    trespasses: audit.trespasses,
    isComplete: succeeded.length === canaries && succeeded.every((times) => times === rounds),
    complaints: serin.complaints(),
    processes: audit.writers.length,
  };
}
