import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { expect, it } from 'vitest';
import { changeImage, createApplications, forEachIndex } from '../bench/applications.ts';
import { type BareCluster, startBareCluster } from '../bench/bare-cluster.ts';
import { type CanaryWatch, watchCanaries } from '../bench/canary-watch.ts';
import type { Raw } from '../fakes/raw.ts';
import { startSlowApi } from '../scenarios/adversity/slow-api.ts';
import { eventually } from '../scenarios/eventually.ts';
import { ShardAudit } from '../scenarios/shards/audit.ts';
import { playShardKills } from '../scenarios/shards/kill-run.ts';
import { LEASE_NAMESPACE, ShardedSerin } from '../scenarios/shards/sharded-serin.ts';
import { afterEach, beforeEach, enterVirtual, playTests, sleep, world } from '../scenarios/world.ts';

enterVirtual(17);
playTests();

const CANARIES = 12;
const BOUND_MS = 600_000;
/** Duration of the lease, and 5 s. */
const MOST_GAP_MS = 20_000;
/** About two minutes. */
const LONG_RELEASE = { analysis: { interval: '10s', stepWeight: 4, maxWeight: 50 } };

let bare: BareCluster;
let watch: CanaryWatch;
let audit: ShardAudit;
let serin: ShardedSerin;
let folder: string;

beforeEach(async () => {
  bare = await startBareCluster({ world: world() });
  watch = watchCanaries(bare.cluster, world().clock);
  audit = new ShardAudit(bare.cluster, LEASE_NAMESPACE);
  folder = mkdtempSync(join(tmpdir(), 'serin-shards-'));
  serin = new ShardedSerin(() => bare.kubeconfigFile, folder);
});

afterEach(async () => {
  await serin.stop();
  audit.stop();
  watch.stop();
  await bare.stop();
  rmSync(folder, { recursive: true, force: true });
});

const allAre = (phase: string) => watch.until(CANARIES, `are ${phase}`, ({ status }: Raw) => status?.phase === phase, BOUND_MS);

const release = (version: string) => forEachIndex(CANARIES, (index) => changeImage(bare.cluster, index, version));

const eachReleaseEndedOnce = () =>
  eventually(
    'each release has ended once',
    () => audit.endings,
    (endings) => isDeepStrictEqual(endings, { succeeded: Array(CANARIES).fill(1), failed: 0 }),
  );

const heldShards = () => serin.alive.map((replica) => replica.held());

it('I9: three replicas share three shards, and when two of them are killed the third one ends every release', async () => {
  await createApplications(bare.cluster, CANARIES, 'istio', LONG_RELEASE);
  for (let each = 0; each < 3; each += 1) serin.start(3);
  await allAre('Initialized');
  await eventually('each replica has a shard', heldShards, (held) => held.every(({ length }) => length === 1));
  await release('2');
  await sleep(30_000);
  for (const replica of serin.alive.slice(1)) {
    await serin.end(replica, 'KILL');
    await sleep(25_000);
  }
  await allAre('Succeeded');
  expect(heldShards()).toEqual([[0, 1, 2]]);
  expect(audit.writers).toHaveLength(3);
  expect(audit.trespasses).toEqual([]);
  expect(serin.longestGapMs(CANARIES)).toBeGreaterThan(10_000);
  expect(serin.longestGapMs(CANARIES)).toBeLessThanOrEqual(MOST_GAP_MS);
  await eachReleaseEndedOnce();
  expect(serin.complaints()).toEqual([]);
});

it('I9: while the number of shards goes from 1 to 3, 2 and 1 in the middle of releases, none is lost and none is doubled', async () => {
  await createApplications(bare.cluster, CANARIES, 'istio', LONG_RELEASE);
  serin.start(1);
  await allAre('Initialized');
  await release('2');
  for (const shards of [3, 2, 1]) {
    await sleep(15_000);
    const former = serin.alive;
    for (let each = 0; each < 2; each += 1) serin.start(shards);
    // Both fleets run side by side: the replicas of the former number go on.
    await sleep(10_000);
    for (const replica of former) await serin.end(replica, 'TERM');
  }
  await allAre('Succeeded');
  expect(audit.writers.length).toBeGreaterThanOrEqual(4);
  expect(audit.trespasses).toEqual([]);
  expect(serin.longestGapMs(CANARIES)).toBeLessThanOrEqual(MOST_GAP_MS);
  await eachReleaseEndedOnce();
  expect(serin.complaints()).toEqual([]);
});

it('I9: with a replica killed every 20 s every release ends once, and no Canary is unattended for longer than the lease and 5 s', async () => {
  const run = {
    cluster: bare.cluster,
    serin,
    audit,
    watch,
    canaries: CANARIES,
    replicas: 5,
    shards: 3,
    kills: 4,
    everyMs: 20_000,
    seed: 17,
  };
  expect(await playShardKills(run)).toMatchObject({ trespasses: [], failed: 0, isComplete: true, complaints: [] });
  expect(serin.longestGapMs(CANARIES)).toBeLessThanOrEqual(MOST_GAP_MS);
});

it.each([1, 3])('I9: with --shards=%i a replica that is stopped keeps its leases until its writes are carried out', async (shards) => {
  const api = await startSlowApi(readFileSync(bare.kubeconfigFile, 'utf8'));
  const lateKubeconfig = join(folder, 'late');
  writeFileSync(lateKubeconfig, api.kubeconfig);
  const replicas = new ShardedSerin((process) => (process === 0 ? lateKubeconfig : bare.kubeconfigFile), folder);
  try {
    await createApplications(bare.cluster, CANARIES, 'istio', LONG_RELEASE);
    const first = replicas.start(shards);
    await allAre('Initialized');
    await release('2');
    await sleep(15_000);
    api.become({ kind: 'late', byMs: 3_000 });
    replicas.start(shards);
    // In the middle of the writes of a step.
    await eventually('a write is under way', api.underWay, (writes) => writes > 0);
    await replicas.end(first, 'TERM');
    expect(api.underWay()).toBe(0);
    await allAre('Succeeded');
    expect(audit.writers).toHaveLength(2);
    expect(audit.trespasses).toEqual([]);
    await eachReleaseEndedOnce();
    expect(replicas.complaints()).toEqual([]);
  } finally {
    await replicas.stop();
    await api.stop();
  }
});

it('a younger Canary on the target of one in another shard waits for it, and goes on when that is gone', async () => {
  await createApplications(bare.cluster, CANARIES, 'istio');
  for (let each = 0; each < 2; each += 1) serin.start(3);
  await allAre('Initialized');
  await sleep(2_000);
  const { items } = await bare.cluster.list({ apiVersion: 'flagger.app/v1beta1', kind: 'Canary' });
  const [older] = items;
  if (older === undefined) throw new Error('no Canary');
  const { namespace = '', name } = older.metadata;
  const rivals = ['a', 'b', 'c', 'd', 'e', 'f'].map((suffix) => `${name}-${suffix}`);
  for (const rival of rivals) await bare.cluster.create({ ...older, metadata: { namespace, name: rival }, status: undefined } as never);
  const states = async () => {
    const ref = { apiVersion: 'flagger.app/v1beta1', kind: 'Canary', namespace };
    const all: Raw[] = await Promise.all(rivals.map((rival) => bare.cluster.get({ ...ref, name: rival })));
    return all.map(({ status }) => status?.conditions?.find(({ type }: Raw) => type === 'Accepted')?.reason ?? status?.phase).sort();
  };
  const waiting = rivals.map(() => 'TargetTaken');
  await eventually('all wait', states, (all) => isDeepStrictEqual(all, waiting));
  await sleep(10_000);
  expect(await states()).toEqual(waiting);
  await bare.cluster.delete({ apiVersion: 'flagger.app/v1beta1', kind: 'Canary', namespace, name });
  const oneRuns = ['Initialized', ...waiting.slice(1)];
  await eventually('one of them goes on', states, (all) => isDeepStrictEqual(all, oneRuns));
  await sleep(10_000);
  expect(await states()).toEqual(oneRuns);
});
