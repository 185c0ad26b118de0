import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { container, createApplications, NAMESPACE, nameOf } from '../bench/applications.ts';
import { type BareCluster, startBareCluster } from '../bench/bare-cluster.ts';
import { type CanaryWatch, watchCanaries } from '../bench/canary-watch.ts';
import { type ChatServer, startChatServer } from '../contracts/notifiers/chat-server.ts';
import { type ForgeServer, type KeptStatus, startForge } from '../fakes/forge-server.ts';
import { type Raw, raw } from '../fakes/raw.ts';
import { type ControllerRun, startProgram } from '../scenarios/controller.ts';
import { eventually } from '../scenarios/eventually.ts';
import { afterAll, beforeAll, enterVirtual, playTests, world } from '../scenarios/world.ts';

enterVirtual(19);
playTests();

const BOUND_MS = 90_000;
const TOKEN = 'pl4nted-forge-token';
const WRONG = 'pl4nted-wrong-token';
const kinds = ['github', 'gitlab'] as const;
const repositories = { github: 'org/shop', gitlab: 'group/sub/shop' };
/** By the name of the version. */
const hash = (version: string): string => version.repeat(40).slice(0, 40);
const versions = ['a', 'b', 'c', 'd', 'e', 'f'];

let bare: BareCluster;
let watch: CanaryWatch;
let hooks: ChatServer;
let forges: Record<(typeof kinds)[number], ForgeServer>;
let controller: ControllerRun;
const folder = mkdtempSync(join(tmpdir(), 'serin-commits-'));

const target = { apiVersion: 'apps/v1', kind: 'Deployment', name: nameOf(0), namespace: NAMESPACE };
const canary = { apiVersion: 'flagger.app/v1beta1', kind: 'Canary', name: nameOf(0), namespace: NAMESPACE };

function start(name: string): ControllerRun {
  const flags = [
    '--port=0',
    '--log-level=debug',
    '--min-analysis-interval=1s',
    '--scale-down-delay=0s',
    '--dashboard-url=https://serin.example.org',
    '--cluster-name=eu-1',
    '--allowed-local-addresses=127.0.0.1',
    `--kubeconfig=${bare.kubeconfigFile}`,
  ];
  return startProgram(flags, join(folder, `${name}.log`));
}

const data = (token: string) => ({ token: Buffer.from(`${token}\n`).toString('base64') });

async function createProvider(type: (typeof kinds)[number]): Promise<void> {
  const metadata = { name: type, namespace: NAMESPACE };
  await bare.cluster.create({ apiVersion: 'v1', kind: 'Secret', metadata, data: data(TOKEN) });
  const spec = { type, address: `${forges[type].origin}/${repositories[type]}`, secretRef: { name: type } };
  await bare.cluster.create({ apiVersion: 'flagger.app/v1beta1', kind: 'AlertProvider', metadata, spec });
}

/** As Flux users write it: the annotation of the Deployment changes with the version. */
const push = (version: string, commit: string | null = `main@sha1:${hash(version)}`): Promise<KubeObject> =>
  bare.cluster.patch(target, {
    metadata: { annotations: { 'serin.dev/commit': commit } },
    spec: { template: { spec: { containers: [container(version)] } } },
  });

const isDone = (phase: string, run: number) => (seen: Raw) =>
  seen.status?.phase === phase &&
  seen.status.release.run === run &&
  seen.status.release.step === 'resting' &&
  (seen.status.release.deliveries ?? []).length === 0;
const ends = (phase: string, run: number) => watch.until(1, `are ${phase}, and nothing is left to deliver`, isDone(phase, run), BOUND_MS);

const page = `https://serin.example.org/canaries/${NAMESPACE}/${nameOf(0)}`;
const name = `serin/eu-1/${NAMESPACE}/${nameOf(0)}`;
const who = `${NAMESPACE}/${nameOf(0)}`;
const begun = { description: `New revision of ${nameOf(0)} found, its release begins`, link: page };
const promoted = (release: number) => ({
  description: `${who} is promoted: its primary receives all traffic`,
  link: `${page}/releases/${release}`,
});
const failed = (release: number) => ({
  description: expect.stringMatching(new RegExp(`^Rolled back ${who}: 1 failed checks, last: check: HTTP 500 from `)),
  link: `${page}/releases/${release}`,
});

/** GitHub keeps the beginning of a release; GitLab makes it the end. */
const expectStatuses = (version: string, github: object[], gitlab: object[]) => {
  const named = (all: object[]) => all.map((one) => ({ name, ...one }));
  expect(forges.github.statusesOf(hash(version)), `GitHub, ${version}`).toEqual(named(github));
  expect(forges.gitlab.statusesOf(hash(version)), `GitLab, ${version}`).toEqual(named(gitlab));
};

beforeAll(async () => {
  const { network, clock } = world();
  [bare, hooks] = await Promise.all([startBareCluster({ world: world() }), startChatServer(network)]);
  const [github, gitlab] = await Promise.all(
    kinds.map((kind) => startForge({ kind, repository: repositories[kind], commits: versions.map(hash), network })),
  );
  if (!github || !gitlab) throw new Error('two forges');
  forges = { github, gitlab };
  for (const forge of [github, gitlab]) forge.tokens.set(TOKEN, 'write');
  watch = watchCanaries(bare.cluster, clock);
  await createApplications(bare.cluster, 1, 'kubernetes', {
    analysis: {
      threshold: 1,
      // The severity filters no state of a commit.
      alerts: kinds.map((kind) => ({ name: kind, severity: 'error', providerRef: { name: kind } })),
      webhooks: [{ name: 'check', type: 'rollout', url: `${hooks.origin}/check` }],
    },
  });
  await push('a');
  await Promise.all(kinds.map(createProvider));
  controller = start('first');
});

afterAll(async () => {
  await controller?.stop('TERM');
  watch?.stop();
  await Promise.all([hooks?.stop(), forges?.github.stop(), forges?.gitlab.stop(), bare?.stop()]);
  rmSync(folder, { recursive: true, force: true });
});

it('a commit is marked as progressing and as promoted, with the page of its release', async () => {
  await ends('Initialized', 0);
  const initialized = { description: `${who} is initialized: its primary serves`, link: page };
  expectStatuses('a', [{ state: 'success', ...initialized }], [{ state: 'success', ...initialized }]);
  await push('b');
  await ends('Succeeded', 1);
  expectStatuses(
    'b',
    [
      { state: 'pending', ...begun },
      { state: 'success', ...promoted(1) },
    ],
    [{ state: 'success', ...promoted(1) }],
  );
});

it('a release that fails marks its own commit, also when the target names another one by then and Serin was killed meanwhile', async () => {
  await push('c');
  await eventually('the commit is progressing', () => kinds.every((kind) => forges[kind].statusesOf(hash('c')).length === 1));
  expect(forges.gitlab.statusesOf(hash('c'))).toEqual([{ name, state: 'running', ...begun }]);
  await controller.stop('KILL');
  await bare.cluster.patch(target, { metadata: { annotations: { 'serin.dev/commit': hash('d') } } });
  hooks.behaves({ kind: 'answers', status: 500 });
  controller = start('second');
  await ends('Failed', 2);
  expectStatuses(
    'c',
    [
      { state: 'pending', ...begun },
      { state: 'failure', ...failed(2) },
    ],
    [{ state: 'failed', ...failed(2) }],
  );
  expectStatuses('d', [], []);
});

it('a newer revision ends the state of the commit before it, and begins its own', async () => {
  hooks.behaves({ kind: 'silent' });
  await push('d');
  await eventually('the commit is progressing', () => forges.gitlab.statusesOf(hash('d')).length === 1);
  hooks.behaves({ kind: 'answers', status: 200 });
  await push('e');
  await ends('Succeeded', 4);
  const dropped = { description: `A newer revision of ${nameOf(0)} takes the place of this one`, link: `${page}/releases/3` };
  const states = (all: readonly KeptStatus[]) => all.map(({ state }) => state);
  expect(states(forges.github.statusesOf(hash('d')))).toEqual(['pending', 'error']);
  expect(forges.gitlab.statusesOf(hash('d'))).toEqual([{ name, state: 'canceled', ...dropped }]);
  expect(states(forges.github.statusesOf(hash('e')))).toEqual(['pending', 'success']);
  expect(states(forges.gitlab.statusesOf(hash('e')))).toEqual(['success']);
});

const eventsOf = (reason: string): string[] =>
  Object.entries(bare.snapshot()).flatMap(([store, objects]) =>
    store.endsWith('/events') ? objects.filter((one) => raw(one).reason === reason).map((one) => String(raw(one).message)) : [],
  );

it('a release without a commit, or with a text that is none, sends nothing and says why', async () => {
  const asked = () => kinds.map((kind) => forges[kind].requests.length);
  const before = asked();
  await push('1', 'v1.2.3');
  await ends('Succeeded', 5);
  for (const kind of kinds)
    expect(eventsOf('AlertFailed')).toContain(
      `Alert not taken by AlertProvider ${NAMESPACE}/${kind}: the commit of the release is not the hash of a commit: write 7 to 64 hexadecimal digits, or BRANCH@sha1:HASH as Flux does, into the annotation serin.dev/commit`,
    );
  await bare.cluster.patch(canary, { spec: { analysis: { alerts: kinds.map((kind) => ({ name: kind, providerRef: { name: kind } })) } } });
  await push('2', null);
  await ends('Succeeded', 6);
  for (const kind of kinds)
    expect(eventsOf('AlertFailed')).toContain(
      `Alert not taken by AlertProvider ${NAMESPACE}/${kind}: no commit is known for this release: before the next one, write it into the annotation serin.dev/commit of the target or its pod template`,
    );
  expect(asked()).toEqual(before);
});

it('a token that the forge refuses is named with its remedy by event and condition, and the commit is marked once it is corrected', async () => {
  for (const kind of kinds) {
    await bare.cluster.patch({ apiVersion: 'v1', kind: 'Secret', name: kind, namespace: NAMESPACE }, { data: data(WRONG) });
  }
  await push('f');
  const said = await eventually(
    'both refusals are reported',
    () => eventsOf('AlertFailed').filter((message) => message.includes('HTTP 401')),
    (messages) => kinds.every((kind) => messages.some((message) => message.includes(`/${kind}:`))),
  );
  for (const kind of kinds) {
    const words = `HTTP 401 from ${new URL(forges[kind].origin).host}: the token is not valid: put another one into the key token of its Secret`;
    expect(said).toContain(`Alert not taken by AlertProvider ${NAMESPACE}/${kind}: ${words}`);
    const provider = { apiVersion: 'flagger.app/v1beta1', kind: 'AlertProvider', name: kind, namespace: NAMESPACE };
    const { status } = raw(await bare.cluster.get(provider));
    expect(status.conditions).toMatchObject([{ type: 'Delivering', status: 'False', message: words }]);
  }
  for (const kind of kinds)
    await bare.cluster.patch({ apiVersion: 'v1', kind: 'Secret', name: kind, namespace: NAMESPACE }, { data: data(TOKEN) });
  await watch.until(1, 'have nothing left to deliver', isDone('Succeeded', 7), 600_000);
  // The beginning, which could not be told, is not told after the end.
  expect(kinds.map((kind) => forges[kind].statusesOf(hash('f')).map(({ state }) => state))).toEqual([['success'], ['success']]);
});

it('no token is in logs, events, conditions or the status', () => {
  const { secrets: _, ...stores } = Object.fromEntries(
    Object.entries(bare.snapshot()).map(([key, objects]) => [key.split('/').at(-1) ?? key, objects]),
  );
  const texts = readdirSync(folder).map((file) => readFileSync(join(folder, file), 'utf8'));
  expect(texts.join('')).toContain('delivery failed');
  for (const token of [TOKEN, WRONG])
    for (const text of [...texts, JSON.stringify(stores)])
      for (const form of [token, Buffer.from(token).toString('base64').replace(/=+$/, '')]) expect(text.includes(form)).toBe(false);
});
