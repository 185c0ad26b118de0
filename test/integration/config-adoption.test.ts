import { expect, it } from 'vitest';
import { Canary } from '../../src/api/canary.ts';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { refOf } from '../../src/api/kube-object.ts';
import { copiesOf } from '../../src/workloads/configs/copies.ts';
import { NAMESPACE, nameOf } from '../bench/applications.ts';
import { difference } from '../bench/figures.ts';
import { type Raw, raw } from '../fakes/raw.ts';
import { ConfigLab, LAB_BOUND_MS } from '../scenarios/config-lab.ts';
import { eventually } from '../scenarios/eventually.ts';
import { until } from '../scenarios/until.ts';
import { afterEach, enterVirtual, playTests, sleep } from '../scenarios/world.ts';

const inNamespace = (kind: string, name: string, apiVersion = 'v1') => ({ apiVersion, kind, name, namespace: NAMESPACE });

enterVirtual(15);
playTests();

let lab: ConfigLab;
afterEach(() => lab.end());

function configsOf(deployment: KubeObject | undefined): string[] {
  const [{ env, envFrom }] = raw(deployment)?.spec.template.spec.containers ?? [{ env: [], envFrom: [] }];
  return [env[0]?.valueFrom.secretKeyRef.name, envFrom[0]?.configMapRef.name];
}
const primary = () => lab.bare.cluster.get(lab.deployment(0, '-primary'));

/** Makes everything look as Flagger leaves it: its copies, its ids, its hashes, no record of Serin's. */
async function asAnotherControllerLeavesIt(settings: Record<string, string>): Promise<void> {
  const { cluster } = lab.bare;
  const canary = await cluster.get(lab.canary(0));
  const owner = { apiVersion: 'flagger.app/v1beta1', kind: 'Canary', name: nameOf(0), uid: canary?.metadata.uid ?? '', controller: true };
  const owned = (name: string) => ({ metadata: { name, namespace: NAMESPACE, ownerReferences: [owner] } });
  await cluster.create({ apiVersion: 'v1', kind: 'ConfigMap', ...owned('settings-primary'), data: settings });
  await cluster.create({ apiVersion: 'v1', kind: 'Secret', ...owned('db-primary'), type: 'Opaque', data: { password: 'czNjcmV0' } });
  const container = '/spec/template/spec/containers/0';
  await cluster.patch(lab.deployment(0, '-primary'), [
    { op: 'replace', path: `${container}/env/0/valueFrom/secretKeyRef/name`, value: 'db-primary' },
    { op: 'replace', path: `${container}/envFrom/0/configMapRef/name`, value: 'settings-primary' },
    { op: 'replace', path: '/spec/template/metadata/annotations/flagger-id', value: '6d0c9a0e-0000-4000-8000-000000000000' },
  ]);
  const records = await cluster.list({ apiVersion: 'apps/v1', kind: 'ControllerRevision', namespace: NAMESPACE });
  for (const record of records.items) await cluster.delete(refOf(record), { propagationPolicy: 'Orphan' });
  await until(cluster, lab.deployment(0, '-primary'), 'has no owner', (now) => (now?.metadata.ownerReferences ?? []).length === 0);
  await cluster.patch(lab.deployment(0, '-primary'), {
    metadata: { ownerReferences: [owner], annotations: { 'serin.dev/canary-uid': null } },
  });
  // {"COLOR":"blue"} and {"password":"czNjcmV0"}, as it hashed them.
  const trackedConfigs = { 'configmap/settings': '7ce1f0e75fb02413', 'secret/db': 'b4f1332af1fc9e1c' };
  const status = { release: null, lastAppliedSpec: '65bb57b6b5', lastPromotedSpec: '65bb57b6b5', trackedConfigs };
  await cluster.patch(lab.canary(0), { status }, { subresource: 'status' });
}

it('a primary that reads the copies of Flagger equals its target: no restart, no analysis', async () => {
  lab = await ConfigLab.begin(1);
  const { cluster } = lab.bare;
  const first = lab.startController('first');
  await lab.initialized();
  await first.stop('TERM');
  await asAnotherControllerLeavesIt({ COLOR: 'blue' });
  const before = await primary();

  lab.startController('second');
  await lab.canariesAre('are adopted', ({ status }: Raw) => status?.release?.step === 'resting');
  await lab.settled();
  expect((await cluster.get(lab.canary(0)))?.status).toMatchObject({
    phase: 'Initialized',
    release: { run: 0 },
    trackedConfigs: { 'configmap/settings': '7ce1f0e75fb02413', 'secret/db': expect.stringMatching(/^[0-9a-f]{8}\.[0-9a-f]{32}$/) },
  });
  expect((await primary())?.metadata.generation).toBe(before?.metadata.generation);

  await lab.config('ConfigMap', 'settings', { data: { COLOR: 'red' } });
  await lab.canariesAre('succeeded', ({ status }: Raw) => status?.phase === 'Succeeded' && status.release.step === 'resting');
  expect(configsOf(await primary())).toEqual([
    expect.stringMatching(/^db-primary-[0-9a-f]{10}$/),
    expect.stringMatching(/^settings-primary-/),
  ]);
  expect((await cluster.get(inNamespace('ConfigMap', 'settings-primary')))?.data, 'left alone').toEqual({ COLOR: 'blue' });
});

it.each([
  { limit: '--secrets-names=other', asked: [] },
  { limit: '--secrets-namespaces=other', asked: [] },
  { limit: '--secrets-names=db', asked: ['get secrets', 'patch secrets', 'watch secrets'] },
])('with $limit only the allowed requests on Secrets are sent when a Canary is taken over', async ({ limit, asked }) => {
  lab = await ConfigLab.begin(1);
  const first = lab.startController('first');
  await lab.initialized();
  await first.stop('TERM');
  await asAnotherControllerLeavesIt({ COLOR: 'blue' });
  const between = lab.requests();
  lab.startController('second', [limit]);
  const recorded = () => difference(lab.requests(), between)['patch canaries/status'] ?? 0;
  await expect.poll(recorded, { timeout: LAB_BOUND_MS }).toBeGreaterThan(0);
  await lab.canariesAre('are adopted', ({ status }: Raw) => status?.release?.step === 'resting');
  const kinds = Object.keys(difference(await lab.settled(), between)).filter(
    (what) => what.endsWith(' secrets') && what !== 'list secrets',
  );
  expect(kinds.toSorted()).toEqual(asked);
});

it('copies that hold something else than their source are a new revision', async () => {
  lab = await ConfigLab.begin(1);
  const first = lab.startController('first');
  await lab.initialized();
  await first.stop('TERM');
  await asAnotherControllerLeavesIt({ COLOR: 'grey' });
  lab.startController('second');
  await lab.canariesAre('released it', ({ status }: Raw) => status?.phase === 'Succeeded' && status.release?.run === 1);
  expect(configsOf(await primary())[1]).toMatch(/^settings-primary-[0-9a-f]{10}$/);
});

it('a Canary over a target whose config is missing creates no primary, says so, and begins when the config exists', async () => {
  lab = await ConfigLab.begin(1, ['settings']);
  lab.startController('controller');
  await lab.canariesAre('say what is missing', ({ status }: Raw) => {
    const [said] = status?.conditions ?? [];
    return status?.phase === 'Initializing' && /Secret db.*does not exist/.test(said?.message ?? '');
  });
  await lab.settled();
  expect(await primary()).toBeUndefined();
  await lab.config('Secret', 'db', { type: 'Opaque', data: { password: 'czNjcmV0' } });
  await lab.initialized();
  await lab.settled();
  const canary = await lab.bare.cluster.get(lab.canary(0));
  expect(canary?.status).toMatchObject({ phase: 'Initialized', release: { run: 0 } });
  expect(raw(canary)?.status.conditions[0].message).not.toContain('does not exist');
});

it('the name of a copy that another object has is reported, tried again with growing pauses, and made when it is free', async () => {
  lab = await ConfigLab.begin(1);
  const { cluster } = lab.bare;
  const canary = Canary.parse(await cluster.get(lab.canary(0)));
  const source = await cluster.get(inNamespace('ConfigMap', 'settings'));
  const name = copiesOf(canary, new Map([['configmap/settings' as const, source]]), {}, []).names.get('configmap/settings') ?? '';
  await lab.config('ConfigMap', name, { data: { whose: 'mine' } });
  lab.startController('controller');
  await lab.canariesAre('say what is in the way', ({ status }: Raw) =>
    `${status?.conditions?.[0]?.message}`.includes(`ConfigMap ${name} exists and is not ours`),
  );
  const tries = () => lab.requests()['create configmaps'] ?? 0;
  const before = tries();
  await sleep(6_000);
  expect(tries() - before, 'after 0.5, 1, 2 and 4 s, and once for its own news').toBeLessThanOrEqual(5);
  expect((await cluster.get(inNamespace('ConfigMap', name)))?.data).toEqual({ whose: 'mine' });
  await cluster.delete(inNamespace('ConfigMap', name));
  await lab.initialized();
  expect((await cluster.get(inNamespace('ConfigMap', name)))?.data).toEqual({ COLOR: 'blue' });
});

it('a config that changes between the making of the primary and the end of the bootstrap is released, not lost', async () => {
  lab = await ConfigLab.begin(1);
  lab.startController('controller', ['--scale-down-delay=2s']);
  await until(lab.bare.cluster, lab.deployment(0, '-primary'), 'is there', (now) => now !== undefined, { boundMs: LAB_BOUND_MS });
  const bootstrapped = configsOf(await primary())[1];
  await lab.config('ConfigMap', 'settings', { data: { COLOR: 'red' } });
  await lab.canariesAre('released it', ({ status }: Raw) => status?.phase === 'Succeeded' && status.release.run === 1);
  const [, now = ''] = configsOf(await primary());
  expect(now).not.toBe(bootstrapped);
  expect((await lab.bare.cluster.get(inNamespace('ConfigMap', now)))?.data).toEqual({ COLOR: 'red' });
});

it('copies that no kept template reads are deleted, and no others', async () => {
  lab = await ConfigLab.begin(1);
  await lab.config('ConfigMap', 'settings-primary-0123456789', { data: { whose: 'mine' } });
  lab.startController('controller', ['--scale-down-delay=0s']);
  await lab.initialized();
  const colors = ['c1', 'c2', 'c3', 'c4', 'c5', 'c6', 'c7'];
  for (const [index, color] of colors.entries()) {
    await lab.config('ConfigMap', 'settings', { data: { COLOR: color } });
    await lab.canariesAre(`released ${color}`, ({ status }: Raw) => {
      return status?.phase === 'Succeeded' && status.release.run === index + 1 && status.release.step === 'resting';
    });
  }
  const kept = async () => {
    const { items } = await lab.bare.cluster.list({ apiVersion: 'v1', kind: 'ConfigMap', namespace: NAMESPACE });
    const copies = items.filter(({ metadata }) => metadata.name.startsWith('settings-primary-'));
    return copies.map(({ data }: Raw) => data.COLOR ?? data.whose).toSorted();
  };
  // Five templates are kept for undo and a failed promotion. The release need not wait for what is deleted.
  const wanted = ['c3', 'c4', 'c5', 'c6', 'c7', 'mine'];
  await eventually('the others are deleted', kept, (copies) => copies.join() === wanted.join());
});
