import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { changeImage, createApplications } from '../bench/applications.ts';
import { type BareCluster, startBareCluster } from '../bench/bare-cluster.ts';
import { type CanaryWatch, watchCanaries } from '../bench/canary-watch.ts';
import { betweenStatusWrites, difference } from '../bench/figures.ts';
import { type Raw, raw } from '../fakes/raw.ts';
import { type ControllerRun, startProgram } from '../scenarios/controller.ts';
import { eventually } from '../scenarios/eventually.ts';
import { settled } from '../scenarios/settled.ts';
import { afterEach, beforeEach, enterVirtual, monotonicMs, nowMs, playTests, sleep, world } from '../scenarios/world.ts';

enterVirtual(13);
playTests();

const BOUND_MS = 90_000;
const LEASE_FLAGS = ['--enable-leader-election', '--lease-duration=30s', '--renew-deadline=20s', '--retry-period=500ms'];
const LEASE = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', name: 'flagger-leader-election', namespace: 'kube-system' };

let bare: BareCluster;
let watch: CanaryWatch;
let folder: string;
let controllers: ControllerRun[];

beforeEach(async () => {
  await begin();
  folder = mkdtempSync(join(tmpdir(), 'serin-costs-'));
  controllers = [];
});

async function begin(options: { oneByOne?: boolean } = {}): Promise<void> {
  bare = await startBareCluster({ ...options, world: world() });
  watch = watchCanaries(bare.cluster, world().clock);
}

afterEach(async () => {
  for (const each of controllers) await each.stop('TERM');
  watch.stop();
  await bare.stop();
  rmSync(folder, { recursive: true, force: true });
});

function startController(name: string, flags: readonly string[] = []): ControllerRun {
  const fixed = ['--port=0', '--min-analysis-interval=1s', '--scale-down-delay=1s', `--kubeconfig=${bare.kubeconfigFile}`];
  const started = startProgram([...fixed, ...flags], join(folder, `${name}.log`));
  controllers.push(started);
  return started;
}

const requests = () => bare.requestCounts('serin-controller');
const withoutLease = (counts: Record<string, number>) =>
  Object.fromEntries(Object.entries(counts).filter(([what]) => !what.endsWith(' leases')));

/** Resolves when the controller has sent nothing but lease requests for longer than a sentence may wait to be written (E55: one interval). */
async function settledCounts(): Promise<Record<string, number>> {
  await settled(() => withoutLease(requests()), 2_000, BOUND_MS);
  return requests();
}

const initialized = () => watch.until(1, 'are initialized', ({ status }: Raw) => status?.phase === 'Initialized', BOUND_MS);

const ROUTES = { istio: 'patch virtualservices', 'smi:v1alpha2': 'patch trafficsplits' } as const;

it.each(['istio', 'smi:v1alpha2'] as const)(
  'a resting Canary on %s costs no request, and a progressing step no read, one status, one route and one event',
  async (provider) => {
    await createApplications(bare.cluster, 1, provider);
    startController('controller');
    await initialized();
    const resting = await settledCounts();
    await sleep(3_000);
    expect(difference(requests(), resting), 'three idle seconds').toEqual({});

    const from = bare.answered.length;
    await changeImage(bare.cluster, 0, '2');
    await watch.until(1, 'succeeded', ({ status }: Raw) => status?.phase === 'Succeeded', BOUND_MS);
    const asked = betweenStatusWrites(bare.answered.slice(from));
    const first = asked.findIndex((step) => ROUTES[provider] in step);
    // 10, 20, 30, 40 and 50%: one after the other, and nothing between them. An Event is sent in parallel with its step, and can be answered later.
    const steps = asked.slice(first, first + 5).map(({ 'create events': _created, 'patch events': _repeated, ...others }) => others);
    expect(steps).toEqual(Array(5).fill({ 'patch canaries/status': 1, [ROUTES[provider]]: 1 }));
    await eventually(
      'each step has its event',
      () => timesReported('WeightAdvanced'),
      (times) => times === 5,
    );
  },
);

it('an initialization reads its target and the apex Service once, and reads neither anchor nor records, which do not exist', async () => {
  await createApplications(bare.cluster, 1, 'istio');
  startController('controller');
  await initialized();
  const asked = await settledCounts();
  // Watches list each kind once, and anchors of all Canaries are listed at the start.
  expect(
    Object.fromEntries(Object.entries(asked).filter(([what]) => /^(get|list) (controllerrevisions|deployments|services)/.test(what))),
  ).toEqual({
    'list controllerrevisions': 1,
    'get deployments': 1,
    'list deployments': 1,
    'get services': 1,
    'list services': 1,
  });
});

it('after a restart, a release whose Events repeat those of the last one costs one request for each, besides one refused creation and one list', async () => {
  const release = async (image: string): Promise<void> => {
    await changeImage(bare.cluster, 0, image);
    for (const phase of ['Progressing', 'Succeeded'])
      await watch.until(1, `have the phase ${phase}`, ({ status }: Raw) => status?.phase === phase, BOUND_MS);
  };
  await createApplications(bare.cluster, 1, 'istio');
  const first = startController('first');
  await initialized();
  await release('2');
  await settledCounts();
  await first.stop('TERM');
  startController('second');
  const before = await settledCounts();
  await release('3');
  const asked = difference(await settledCounts(), before);
  expect(Object.fromEntries(Object.entries(asked).filter(([what]) => what.endsWith(' events')))).toEqual({
    // The Event of the new revision names other images: it is made, and not repeated.
    'create events': 2,
    'list events': 1,
    'patch events': 8,
  });
  expect(await timesReported('WeightAdvanced')).toBe(10);
});

/** Number of Events with this reason. */
async function timesReported(wanted: string): Promise<number> {
  const { items } = await bare.cluster.list({ apiVersion: 'v1', kind: 'Event' });
  return items.filter(({ reason }) => reason === wanted).reduce((sum, { count }: Raw) => sum + count, 0);
}

it('E55: twenty pods that become ready one by one cost no more status writes than one', async () => {
  watch.stop();
  await bare.stop();
  await begin({ oneByOne: true });
  await createApplications(bare.cluster, 1, 'istio', { replicas: 20 });
  startController('controller');
  await initialized();
  await settledCounts();
  const [from, fromMs] = [bare.answered.length, monotonicMs()];
  await changeImage(bare.cluster, 0, '2');
  await watch.until(1, 'has its first step', ({ status }: Raw) => status?.canaryWeight === 10, BOUND_MS);
  const writes = bare.answered.slice(from).filter((what) => what === 'patch canaries/status');
  const intervals = Math.floor((monotonicMs() - fromMs) / 1_000);
  // Three writes: the release begins, its pods are ready, and the first step. In addition, the messages that have been unchanged for an interval of one second.
  expect(writes.length).toBeLessThanOrEqual(3 + intervals);
});

it('I9: a standby only tries the lease, and takes over when the leader ends with exit code 0', async () => {
  await createApplications(bare.cluster, 1, 'istio');
  const leader = startController('leader', LEASE_FLAGS);
  await initialized();
  const holderOf = async () => raw(await bare.cluster.get(LEASE))?.spec.holderIdentity;
  const first = await holderOf();
  const before = await settledCounts();
  startController('standby', LEASE_FLAGS);
  const looksAtLease = () => difference(requests(), before)['get leases'] ?? 0;
  await eventually('the standby tries the lease', looksAtLease, (looks) => looks > 3);
  const during = difference(requests(), before);
  const discovery = (what: string) => /^get \/apis?\//.test(what);
  // The leader renews; the standby reads the lease, and nothing else.
  expect(
    Object.keys(during)
      .filter((what) => !discovery(what))
      .toSorted(),
  ).toEqual(['get leases', 'update leases']);
  expect(await holderOf()).toBe(first);

  await leader.stop('TERM');
  expect(await leader.exited, readFileSync(leader.logFile, 'utf8')).toBe(0);
  await eventually('the standby has the lease', holderOf, (holder) => ![first, '', undefined].includes(holder));
  await changeImage(bare.cluster, 0, '2');
  await watch.until(1, 'succeeded', ({ status }: Raw) => status?.phase === 'Succeeded', BOUND_MS);
});

it('I9: a leader whose lease is taken goes on standby without ending, and leads again as the only leader when the lease is free', async () => {
  await createApplications(bare.cluster, 1, 'istio');
  const leader = startController('leader', LEASE_FLAGS);
  await initialized();
  await settledCounts();
  const said = () => readFileSync(leader.logFile, 'utf8');
  const lease = await bare.cluster.get(LEASE);
  await bare.cluster.patch(LEASE, { spec: { ...raw(lease)?.spec, holderIdentity: 'another', renewTime: microTime() } });
  await eventually('the leader stands by', said, (text) => text.includes('lease lost: on standby'));

  const from = requests();
  const since = () => difference(requests(), from);
  await changeImage(bare.cluster, 0, '2');
  await eventually(
    'it looks at the lease',
    () => since()['get leases'] ?? 0,
    (looks) => looks > 3,
  );
  expect(Object.keys(since())).toEqual(['get leases']);
  expect(raw(await bare.cluster.get(LEASE))?.spec.holderIdentity).toBe('another');

  await bare.cluster.patch(LEASE, { spec: { holderIdentity: '' } });
  await watch.until(1, 'succeeded', ({ status }: Raw) => status?.phase === 'Succeeded', BOUND_MS);
  await eventually(
    'each step has its event',
    () => timesReported('WeightAdvanced'),
    (times) => times === 5,
  );
  expect(said().match(/reconciling Canaries/g)).toHaveLength(2);
  expect(said()).not.toContain('Conflict');
});

/** As Leases have it. */
const microTime = () => new Date(nowMs()).toISOString().replace('Z', '000Z');
