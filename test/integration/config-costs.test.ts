import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { createApplications, NAMESPACE, nameOf } from '../bench/applications.ts';
import { type BareCluster, startBareCluster } from '../bench/bare-cluster.ts';
import { type CanaryWatch, watchCanaries } from '../bench/canary-watch.ts';
import { difference, totalOf } from '../bench/figures.ts';
import { type GuardedProcess, startGuarded } from '../suite/guarded-process.ts';

const MAIN = join(import.meta.dirname, '..', '..', 'src', 'cli', 'main.ts');
const BOUND_MS = 30_000;
const CANARIES = 5;

let bare: BareCluster;
let watch: CanaryWatch;
let folder: string;
let controllers: GuardedProcess[];

beforeEach(async () => {
  bare = await startBareCluster();
  watch = watchCanaries(bare.cluster);
  folder = mkdtempSync(join(tmpdir(), 'serin-config-costs-'));
  controllers = [];
  await createApplications(bare.cluster, CANARIES, 'istio');
  await config('ConfigMap', 'settings', { data: { COLOR: 'blue' } });
  await config('Secret', 'db', { type: 'Opaque', data: { password: 'czNjcmV0' } });
  await config('Secret', 'regcred', { type: 'kubernetes.io/dockerconfigjson', data: { '.dockerconfigjson': 'e30=' } });
  const env = [{ name: 'P', valueFrom: { secretKeyRef: { name: 'db', key: 'password' } } }];
  const envFrom = [{ configMapRef: { name: 'settings' } }, { secretRef: { name: 'regcred', optional: true } }];
  for (let index = 0; index < CANARIES; index += 1) {
    const ref = { apiVersion: 'apps/v1', kind: 'Deployment', name: nameOf(index), namespace: NAMESPACE };
    await bare.cluster.patch(ref, [
      { op: 'add', path: '/spec/template/spec/containers/0/envFrom', value: envFrom },
      { op: 'replace', path: '/spec/template/spec/containers/0/env', value: env },
    ]);
  }
});

afterEach(async () => {
  for (const each of controllers) await each.stop('TERM');
  watch.stop();
  await bare.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function config(kind: string, name: string, content: object): Promise<KubeObject> {
  return bare.cluster.apply({ apiVersion: 'v1', kind, metadata: { name, namespace: NAMESPACE }, ...content });
}

function startController(name: string, flags: readonly string[] = []): GuardedProcess {
  const fixed = ['--port=0', '--min-analysis-interval=1s', '--scale-down-delay=1s', `--kubeconfig=${bare.kubeconfigFile}`];
  const started = startGuarded(name, [process.execPath, MAIN, 'controller', ...fixed, ...flags], join(folder, `${name}.log`));
  controllers.push(started);
  return started;
}

const requests = () => bare.requestCounts('serin-controller');

/** Resolves when the controller has sent nothing for a second. */
async function atRest(): Promise<Record<string, number>> {
  let last = { total: -1, atMs: 0 };
  await expect
    .poll(
      () => {
        const total = totalOf(requests());
        if (total !== last.total) last = { total, atMs: performance.now() };
        return performance.now() - last.atMs;
      },
      { timeout: BOUND_MS, interval: 50 },
    )
    .toBeGreaterThan(1_000);
  return requests();
}

const initialized = () => watch.until(CANARIES, 'are initialized', ({ status }) => status?.phase === 'Initialized', BOUND_MS);
const isRead = (what: string) => /^(get|list|watch) /.test(what);

it('I8: a restart over resting Canaries writes nothing and reads no content of a config', async () => {
  const first = startController('first');
  await initialized();
  const before = await atRest();
  expect(before['get configmaps'], 'read once for the revision, once for the copy').toBeLessThanOrEqual(2 * CANARIES);
  expect(before['create secrets'], 'regcred is not tracked').toBe(CANARIES);
  await first.stop('TERM');

  const between = requests();
  startController('second');
  await expect.poll(() => difference(requests(), between)['watch secrets'] ?? 0, { timeout: BOUND_MS, interval: 50 }).toBe(2);
  await atRest();
  const spent = difference(requests(), between);
  expect(Object.keys(spent).filter((what) => !isRead(what))).toEqual([]);
  expect(Object.keys(spent).filter((what) => /^get (configmaps|secrets)/.test(what))).toEqual([]);
  // One watch a config, however many Canaries share it.
  expect([spent['watch configmaps'], spent['watch secrets']]).toEqual([1, 2]);
});

it('secrets mode off: no request for a Secret, and the primary reads the original', async () => {
  startController('controller', ['-secrets-mode=off']);
  await initialized();
  expect(Object.keys(await atRest()).filter((what) => what.includes('secrets'))).toEqual([]);
  const primary = await bare.cluster.get({ apiVersion: 'apps/v1', kind: 'Deployment', name: `${nameOf(0)}-primary`, namespace: NAMESPACE });
  const [{ env, envFrom }] = primary?.spec.template.spec.containers ?? [];
  expect(env).toEqual([{ name: 'P', valueFrom: { secretKeyRef: { name: 'db', key: 'password' } } }]);
  expect(envFrom[0].configMapRef.name).toMatch(/^settings-primary-/);
});

it('secrets mode get: no watch on Secrets; a ConfigMap that starts a release has them read', async () => {
  const controller = startController('controller', ['--secrets-mode=get']);
  await initialized();
  const resting = await atRest();
  expect(resting['watch secrets']).toBeUndefined();
  await config('Secret', 'db', { type: 'Opaque', data: { password: 'bmV3' } });
  expect(await atRest(), 'nobody watches it').toEqual(resting);
  await config('ConfigMap', 'settings', { data: { COLOR: 'red' } });
  await watch.until(CANARIES, 'succeeded', ({ status }) => status?.phase === 'Succeeded', BOUND_MS);
  const { items } = await bare.cluster.list({ apiVersion: 'v1', kind: 'Secret', namespace: NAMESPACE });
  const copies = items.filter(({ metadata }) => metadata.name.startsWith('db-primary-'));
  expect(copies.filter(({ data }) => data.password === 'bmV3').length, readFileSync(controller.logFile, 'utf8').slice(-2000)).toBe(
    CANARIES,
  );
});

it('-enable-config-tracking=false: nothing is watched or copied, and status has no trackedConfigs (CT22)', async () => {
  startController('controller', ['-enable-config-tracking=false']);
  await initialized();
  expect(Object.keys(await atRest()).filter((what) => /configmaps|secrets/.test(what))).toEqual([]);
  const canary = await bare.cluster.get({ apiVersion: 'flagger.app/v1beta1', kind: 'Canary', name: nameOf(0), namespace: NAMESPACE });
  expect(canary?.status.trackedConfigs).toBeUndefined();
});

it('the embedded API server sends metadata only, by name, to who asks so', async () => {
  const seen: string[] = [];
  const selection = { fieldSelector: 'metadata.name=db', metadataOnly: true };
  const kind = { apiVersion: 'v1', kind: 'Secret', namespace: NAMESPACE };
  const watching = bare.cluster.watch(
    kind,
    {
      onList: (items) => seen.push(...items.map(({ metadata }) => metadata.name)),
      onEvent: ({ object }) => seen.push(object.metadata.name),
    },
    selection,
  );
  await watching.synced;
  await config('Secret', 'other', { type: 'Opaque' });
  await config('Secret', 'db', { type: 'Opaque', data: { password: 'bmV3' } });
  await expect.poll(() => seen, { timeout: BOUND_MS }).toEqual(['db', 'db']);
  watching.stop();
  const accept = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io,application/json;q=0.9';
  const url = `${bare.apiUrl}/api/v1/namespaces/${NAMESPACE}/secrets?watch=true&timeoutSeconds=1&fieldSelector=metadata.name%3Ddb`;
  const text = await (await fetch(url, { headers: { accept } })).text();
  expect(text).toContain('"kind":"PartialObjectMetadata"');
  expect(text).not.toContain('bmV3');
});
