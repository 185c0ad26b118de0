import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { statusCommand } from '../../src/cli/canaries/status-command.ts';
import { Output, type OutputFlags } from '../../src/cli/output/output.ts';
import { whyCommand } from '../../src/cli/why/why-command.ts';
import { ApiError } from '../../src/kube/errors.ts';
import { shardOf } from '../../src/kube/shards/shard-of.ts';
import { createApplications, NAMESPACE, nameOf } from '../bench/applications.ts';
import { type BareCluster, startBareCluster } from '../bench/bare-cluster.ts';
import { watchCanaries } from '../bench/canary-watch.ts';
import type { Raw } from '../fakes/raw.ts';
import { startProgram } from '../scenarios/controller.ts';
import { eventually } from '../scenarios/eventually.ts';
import { LEASE_NAMESPACE, ShardedSerin } from '../scenarios/shards/sharded-serin.ts';
import { afterEach, beforeEach, enterVirtual, playTests, sleep, world } from '../scenarios/world.ts';

enterVirtual(23);
playTests();

const CANARIES = 6;
const NAME = nameOf(0);
const SHARD = shardOf({ namespace: NAMESPACE, name: NAME }, 3);
const LEASE = `${LEASE_NAMESPACE}/serin-${SHARD}`;

let bare: BareCluster;
let serin: ShardedSerin;
let folder: string;

beforeEach(async () => {
  bare = await startBareCluster({ world: world() });
  folder = mkdtempSync(join(tmpdir(), 'serin-in-charge-'));
  serin = new ShardedSerin(() => bare.kubeconfigFile, folder);
});

afterEach(async () => {
  await serin.stop();
  await bare.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Lines and notes about the controller in the output of both commands. */
async function said(flags: OutputFlags = {}, cluster = bare.cluster): Promise<string[]> {
  const lines: string[] = [];
  const stream = { isTTY: false, columns: 200, write: (text: string | Uint8Array) => lines.push(...String(text).split('\n')) };
  const session = {
    ...{ cluster, namespace: NAMESPACE, clock: world().clock, clusterFlags: ['--context=east'] },
    output: new Output(flags, {}, { out: stream, err: stream }),
  };
  await statusCommand(session, NAME, {});
  await whyCommand(session, NAME);
  return lines.filter((line) => /^Controller:|kubectl (?:get|describe) lease|Leases/.test(line));
}

async function initialized(): Promise<void> {
  const watch = watchCanaries(bare.cluster, world().clock);
  await createApplications(bare.cluster, CANARIES, 'istio');
  await watch.until(CANARIES, 'are initialized', ({ status }: Raw) => status?.phase === 'Initialized', 600_000);
  watch.stop();
}

it('status and why say which replica looks after the Canary, and since when none does', async () => {
  for (let each = 0; each < 3; each += 1) serin.start(3);
  await initialized();
  await eventually(
    'each replica has a shard',
    () => serin.alive.map((replica) => replica.held().length),
    (counts) => counts.every((count) => count === 1),
  );
  const held = await said();
  expect(held).toHaveLength(2);
  for (const line of held)
    expect(line).toMatch(new RegExp(`^Controller: pod virtual \\(shard ${SHARD} of 3\\), lease ${LEASE} renewed [0-2] s ago$`));

  for (const replica of serin.alive) await serin.end(replica, 'KILL');
  await sleep(16_000);
  const none = await said();
  expect(none).toHaveLength(4);
  expect(none[0]).toMatch(
    new RegExp(`^Controller: no replica holds lease ${LEASE} \\(shard ${SHARD} of 3\\) since \\S+Z; pod virtual was the last$`),
  );
  expect(none.slice(1)).toEqual([
    `  kubectl describe lease serin-${SHARD} -n ${LEASE_NAMESPACE} --context=east`,
    none[0],
    `  kubectl describe lease serin-${SHARD} -n ${LEASE_NAMESPACE} --context=east`,
  ]);
});

it('without the right to read Leases, status and why print nothing about the controller in charge, except a note with -o wide', async () => {
  serin.start(3);
  await initialized();
  const { list } = bare.cluster;
  const withoutLeases = Object.assign(Object.create(bare.cluster) as typeof bare.cluster, {
    list: async (...[kind, selection]: Parameters<typeof list>) => {
      if (kind.kind === 'Lease') throw new ApiError('leases: 403', { status: 403, reason: 'Forbidden' });
      return bare.cluster.list(kind, selection);
    },
  });
  expect(await said({}, withoutLeases)).toEqual([]);
  expect(await said({ output: 'wide' }, withoutLeases)).toEqual(Array(2).fill('Note: Leases cannot be read with these credentials.'));
});

it('status and why say nothing of it without leader election', async () => {
  const fixed = ['--port=0', '--min-analysis-interval=1s', `--kubeconfig=${bare.kubeconfigFile}`];
  const run = startProgram(fixed, join(folder, 'alone.log'));
  try {
    await initialized();
    expect(await said({ output: 'wide' })).toEqual([]);
  } finally {
    await run.stop('TERM');
  }
});
