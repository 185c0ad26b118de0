import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { NAMESPACE } from '../bench/applications.ts';
import { difference } from '../bench/figures.ts';
import { type Raw, raw } from '../fakes/raw.ts';
import { ConfigLab } from '../scenarios/config-lab.ts';
import { eventually } from '../scenarios/eventually.ts';
import { afterEach, enterVirtual, fetchText, playTests } from '../scenarios/world.ts';

const CANARIES = 5;
const isRead = (what: string) => /^(get|list|watch) /.test(what);

enterVirtual(16);
playTests();

let lab: ConfigLab;
afterEach(() => lab.end());

it.each([
  { what: 'every config is there', configs: ['settings', 'db', 'regcred'] },
  { what: 'an optional one is missing, which may have come and gone meanwhile', configs: ['settings', 'db'] },
] as const)('I8: a restart over resting Canaries writes nothing and reads no config and no workload where $what', async ({ configs }) => {
  lab = await ConfigLab.begin(CANARIES, configs);
  const first = lab.startController('first');
  await lab.initialized();
  const before = await lab.settled();
  expect(before['get configmaps'], 'read once for the revision, once for the copy').toBeLessThanOrEqual(2 * CANARIES);
  expect(before['create secrets'], 'a copy and a salt each; regcred is not tracked').toBe(2 * CANARIES);
  await first.stop('TERM');

  const between = lab.requests();
  lab.startController('second');
  const opened = () => difference(lab.requests(), between)['watch secrets'] ?? 0;
  await eventually('two watches are open', opened, (count) => count === 2);
  const spent = difference(await lab.settled(), between);
  expect(Object.keys(spent).filter((what) => !isRead(what))).toEqual([]);
  expect(Object.keys(spent).filter((what) => /^get (configmaps|secrets|deployments)/.test(what))).toEqual([]);
  // One watch a config, however many Canaries share it.
  expect([spent['watch configmaps'], spent['watch secrets']]).toEqual([1, 2]);
});

it('secrets mode off: no request for a Secret, and the primary reads the original', async () => {
  lab = await ConfigLab.begin(1);
  lab.startController('controller', ['-secrets-mode=off']);
  await lab.initialized();
  expect(Object.keys(await lab.settled()).filter((what) => what.includes('secrets'))).toEqual([]);
  const primary = await lab.bare.cluster.get(lab.deployment(0, '-primary'));
  const [{ env, envFrom }] = raw(primary)?.spec.template.spec.containers ?? [];
  expect(env).toEqual([{ name: 'P', valueFrom: { secretKeyRef: { name: 'db', key: 'password' } } }]);
  expect(envFrom[0].configMapRef.name).toMatch(/^settings-primary-/);
});

it('secrets mode get: no watch on Secrets; a ConfigMap that starts a release has them read', async () => {
  lab = await ConfigLab.begin(CANARIES);
  const controller = lab.startController('controller', ['--secrets-mode=get']);
  await lab.initialized();
  const resting = await lab.settled();
  expect(resting['watch secrets']).toBeUndefined();
  await lab.config('Secret', 'db', { type: 'Opaque', data: { password: 'bmV3' } });
  expect(await lab.settled(), 'no watch reads it').toEqual(resting);
  await lab.config('ConfigMap', 'settings', { data: { COLOR: 'red' } });
  await lab.canariesAre('succeeded', ({ status }: Raw) => status?.phase === 'Succeeded');
  const { items } = await lab.bare.cluster.list({ apiVersion: 'v1', kind: 'Secret', namespace: NAMESPACE });
  const copies = items.filter(({ metadata }) => metadata.name.startsWith('db-primary-'));
  expect(copies.filter(({ data }: Raw) => data.password === 'bmV3').length, readFileSync(controller.logFile, 'utf8').slice(-2000)).toBe(
    CANARIES,
  );
});

it('with -enable-config-tracking=false nothing is watched or copied, and status has no trackedConfigs', async () => {
  lab = await ConfigLab.begin(1);
  lab.startController('controller', ['-enable-config-tracking=false']);
  await lab.initialized();
  expect(Object.keys(await lab.settled()).filter((what) => /configmaps|secrets/.test(what))).toEqual([]);
  expect(raw(await lab.bare.cluster.get(lab.canary(0)))?.status.trackedConfigs).toBeUndefined();
});

it('switching tracking off and on again starts no release', async () => {
  lab = await ConfigLab.begin(1);
  for (const [name, on] of [
    ['on', 'true'],
    ['off', 'false'],
    ['on again', 'true'],
  ] as const) {
    const controller = lab.startController(name, [`-enable-config-tracking=${on}`]);
    await lab.initialized();
    await lab.settled();
    await controller.stop('TERM');
  }
  expect((await lab.bare.cluster.get(lab.canary(0)))?.status).toMatchObject({ phase: 'Initialized', release: { run: 0 } });
});

it('the embedded API server sends only metadata, selected by name, if a client requests it', async () => {
  lab = await ConfigLab.begin(1);
  const { cluster, apiUrl } = lab.bare;
  const seen: string[] = [];
  const watching = cluster.watch(
    { apiVersion: 'v1', kind: 'Secret', namespace: NAMESPACE },
    {
      onList: (items) => seen.push(...items.map(({ metadata }) => metadata.name)),
      onEvent: ({ object }) => seen.push(object.metadata.name),
    },
    { fieldSelector: 'metadata.name=db', metadataOnly: true },
  );
  await watching.synced;
  await lab.config('Secret', 'other', { type: 'Opaque' });
  await lab.config('Secret', 'db', { type: 'Opaque', data: { password: 'bmV3' } });
  await eventually(
    'both are seen',
    () => seen,
    (names) => names.join() === 'db,db',
  );
  watching.stop();
  const accept = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io,application/json;q=0.9';
  const url = `${apiUrl}/api/v1/namespaces/${NAMESPACE}/secrets?watch=true&timeoutSeconds=1&fieldSelector=metadata.name%3Ddb`;
  const { text } = await fetchText(url, { headers: { accept } });
  expect(text).toContain('"kind":"PartialObjectMetadata"');
  expect(text).not.toContain('bmV3');
});
