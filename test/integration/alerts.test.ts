import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Delivery } from '../../src/api/canary-status.ts';
import { changeImage, createApplications, NAMESPACE } from '../bench/applications.ts';
import { type BareCluster, startBareCluster } from '../bench/bare-cluster.ts';
import { type CanaryWatch, watchCanaries } from '../bench/canary-watch.ts';
import { type ChatServer, startChatServer } from '../contracts/notifiers/chat-server.ts';
import type { Raw } from '../fakes/raw.ts';
import { type ControllerRun, startProgram } from '../scenarios/controller.ts';
import { eventually } from '../scenarios/eventually.ts';
import { afterAll, beforeAll, enterVirtual, playTests, world } from '../scenarios/world.ts';

enterVirtual(19);
playTests();

const BOUND_MS = 90_000;
/** In Secrets, and nowhere else. */
const PLANTED = ['pl4nted-path', 'pl4nted-token', 'pl4nted-signing-key', 'pl4nted-header'];

let bare: BareCluster;
let watch: CanaryWatch;
let living: ChatServer;
let broken: ChatServer;
let controller: ControllerRun;
const folder = mkdtempSync(join(tmpdir(), 'serin-alerts-'));

const templates = join(folder, 'templates.yaml');
writeFileSync(templates, 'Succeeded: "{{#images}}{{change}}{{/images}} is live"\n');

function start(name: string): ControllerRun {
  const flags = [
    '--port=0',
    '--log-level=debug',
    '--min-analysis-interval=1s',
    '--scale-down-delay=0s',
    '--dashboard-url=https://serin.example.org',
    '--allowed-local-addresses=127.0.0.1',
    `--message-templates-file=${templates}`,
    `--kubeconfig=${bare.kubeconfigFile}`,
  ];
  return startProgram(flags, join(folder, `${name}.log`));
}

async function createProvider(name: string, type: string, { origin }: ChatServer): Promise<void> {
  const data = { address: `${origin}/pl4nted-path`, token: 'pl4nted-token', signingKey: 'pl4nted-signing-key' };
  const encoded = Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(`${value}\n`).toString('base64')]));
  const metadata = { name, namespace: NAMESPACE };
  await bare.cluster.create({ apiVersion: 'v1', kind: 'Secret', metadata, data: encoded });
  const spec = { type, secretRef: { name } };
  await bare.cluster.create({ apiVersion: 'flagger.app/v1beta1', kind: 'AlertProvider', metadata, spec });
}

beforeAll(async () => {
  const { network, clock } = world();
  [bare, living, broken] = await Promise.all([startBareCluster({ world: world() }), startChatServer(network), startChatServer(network)]);
  watch = watchCanaries(bare.cluster, clock);
  broken.behaves({ kind: 'echoes', status: 403 });
  await createApplications(bare.cluster, 1, 'kubernetes', {
    analysis: {
      alerts: ['living', 'broken'].map((name) => ({ name, providerRef: { name } })),
      webhooks: [{ name: 'after', type: 'post-rollout', url: `${living.origin}/after`, secretRef: { name: 'hook' } }],
    },
  });
  const header = Buffer.from('Bearer pl4nted-header').toString('base64');
  const metadata = { name: 'hook', namespace: NAMESPACE };
  await bare.cluster.create({ apiVersion: 'v1', kind: 'Secret', metadata, data: { 'header.Authorization': header } });
  await createProvider('living', 'webhook', living);
  await createProvider('broken', 'slack', broken);
  controller = start('first');
});

afterAll(async () => {
  await controller?.stop('TERM');
  watch?.stop();
  await Promise.all([living?.stop(), broken?.stop(), bare?.stop()]);
  rmSync(folder, { recursive: true, force: true });
});

const alertsTo = ({ posts }: ChatServer) =>
  posts.filter(({ path }) => path !== 'POST /after').map(({ headers }) => headers['idempotency-key']);
const reasons = () =>
  living.posts.filter(({ path }) => path !== 'POST /after').map(({ body }) => String((JSON.parse(body) as { reason?: unknown }).reason));
const lastAlert = () => JSON.parse(living.posts.findLast(({ path }) => path !== 'POST /after')?.body ?? '{}');
const waiting = (status: Raw): (string | undefined)[] => {
  const listed: Delivery[] = status?.release?.deliveries ?? [];
  return listed.map(({ alert }) => alert?.to?.name);
};

it('I6: a receiver that refuses delays neither the release nor another receiver, and gets what is left after a restart', async () => {
  await watch.until(1, 'are initialized', ({ status }: Raw) => status?.phase === 'Initialized', BOUND_MS);
  await changeImage(bare.cluster, 0, '2');
  const onlyBroken = (names: (string | undefined)[]) => names.length === 3 && names.every((name) => name === 'broken');
  const isDone = ({ status }: Raw) => status?.phase === 'Succeeded' && onlyBroken(waiting(status));
  await watch.until(1, 'succeeded with what one receiver refuses left', isDone, BOUND_MS);
  expect(reasons()).toEqual(['Initialized', 'NewRevision', 'Succeeded']);
  expect(lastAlert(), 'the text of the template, the images that the watches saw, and the pages').toMatchObject({
    message: 'registry.example/app 1 → 2 is live',
    details: { release: 1, change: { images: [{ container: 'web', from: 'registry.example/app:1', to: 'registry.example/app:2' }] } },
    page: `https://serin.example.org/canaries/${NAMESPACE}/app-0000`,
    releasePage: `https://serin.example.org/canaries/${NAMESPACE}/app-0000/releases/1`,
  });
  expect(living.posts.find(({ path }) => path === 'POST /after')?.headers.authorization).toBe('Bearer pl4nted-header');

  const refused = await eventually(
    'each alert was refused',
    () => new Set(alertsTo(broken)),
    ({ size }) => size === 3,
  );
  await controller.stop('KILL');
  broken.behaves({ kind: 'answers', status: 200, body: 'ok' });
  controller = start('second');
  await watch.until(1, 'have nothing left to deliver', ({ status }) => waiting(status).length === 0, BOUND_MS);
  expect(new Set(alertsTo(broken)), 'the same messages under the same keys').toEqual(refused);
  expect(reasons(), 'what was taken is not repeated').toHaveLength(3);
});

it('no credential of a receiver or a webhook is in logs, events, conditions or the status', () => {
  const { secrets: _, ...stores } = Object.fromEntries(
    Object.entries(bare.snapshot()).map(([key, objects]) => [key.split('/').at(-1) ?? key, objects]),
  );
  const texts = Object.fromEntries(readdirSync(folder).map((file) => [file, readFileSync(join(folder, file), 'utf8')]));
  const events = JSON.stringify(stores.events);
  expect(events).toContain('HTTP 403');
  expect(texts['first.log']).toContain('delivery failed');
  for (const planted of PLANTED) {
    const encoded = Buffer.from(planted).toString('base64').replace(/=+$/, '');
    for (const [where, text] of [...Object.entries(texts), ['objects', JSON.stringify(stores)] as const]) {
      expect(text.includes(planted), `${planted} in ${where}`).toBe(false);
      expect(text.includes(encoded), `${planted} encoded in ${where}`).toBe(false);
    }
  }
});
