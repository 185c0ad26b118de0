import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { documentedVerifications } from '../../scripts/release/rehearsal/verification.ts';
import { givenNode, givenRelease } from './given-node.ts';
import { aReleaseUser, type ReleaseUser } from './release-user.ts';
import { startUsers } from './users.ts';

const node = givenNode('podinfo', 'coredns');
const podinfoVersion = (text: string): string => /version ([\d.]+)/.exec(text)?.[1] ?? 'unknown';
let user: ReleaseUser;
let beganMs = 0;

beforeAll(async () => {
  await node().kubectl('apply', '-f', join(import.meta.dirname, 'addons', 'coredns.yaml'));
  await node().kubectl('rollout', 'status', 'deployment/coredns', '-n', 'kube-system', '--timeout=120s');
  user = await aReleaseUser(givenRelease(), node().plane.adminKubeconfigFile);
  beganMs = performance.now();
});
afterAll(() => user?.stop());

const kubectl = (...args: string[]) => user.ran('kubectl', ...args);
const minutes = (): string => ((performance.now() - beganMs) / 60_000).toFixed(1);

/** Charts of this release and of the previous version, as the registry has them. */
const CHARTS = { now: 'serin/charts/serin', before: 'previous/charts/serin' } as const;
const chart = (which: keyof typeof CHARTS): string[] => [
  `oci://${user.images}/${CHARTS[which]}`,
  '--version',
  manifest.version,
  '--plain-http',
];
const IMAGES = { now: 'serin/serin', before: 'previous/serin' } as const;

async function install(which: keyof typeof CHARTS): Promise<void> {
  const where = ['--namespace', 'serin', '--create-namespace', '--set', 'meshProvider=kubernetes'];
  await user.ran('helm', 'install', 'serin', ...chart(which), ...where, '--wait', '--timeout', '4m');
  await expectRuns(which);
}

/** Each pod runs the image of this version, by its digest. */
async function expectRuns(which: keyof typeof IMAGES): Promise<void> {
  await kubectl('rollout', 'status', 'deployment/serin', '-n', 'serin', '--timeout=4m');
  const image = `${user.images}/${IMAGES[which]}@${await user.digestOf(IMAGES[which])}`;
  expect(image).toMatch(/@sha256:[0-9a-f]{64}$/);
  const pods = await kubectl(
    'get',
    'pods',
    '-n',
    'serin',
    '--field-selector=status.phase=Running',
    '-o',
    'jsonpath={.items[*].spec.containers[*].image}',
  );
  expect(new Set(pods.split(' '))).toContain(image);
}

async function uninstall(): Promise<void> {
  await kubectl('delete', 'canary', '--all', '-n', 'quick-start', '--timeout=3m');
  const left = () => kubectl('get', 'controllerrevisions', '-l', 'serin.dev/canary', '-n', 'quick-start', '-o', 'name');
  await expect.poll(left, { timeout: 180_000, interval: 1_000 }).toBe('');
  await user.ran('helm', 'uninstall', 'serin', '--namespace', 'serin', '--wait', '--timeout', '2m');
}

async function quickStart(): Promise<void> {
  await kubectl('apply', '-f', 'package/docs/quick-start.yaml');
  await user.ran('./serin', 'wait', 'shop', '--namespace', 'quick-start', '--for', 'initialized', '--timeout', '5m');
}

const shop = (path: string) => kubectl('get', 'canary', 'shop', '-n', 'quick-start', '-o', `jsonpath={${path}}`);

/** Releases a version of podinfo under continuous requests; `meanwhile` happens after its first check, and the release does not end before. */
async function release(version: string, meanwhile?: () => Promise<unknown>): Promise<void> {
  const address = await kubectl('get', 'service', 'shop', '-n', 'quick-start', '-o', 'jsonpath={.spec.clusterIP}');
  const users = startUsers(`http://${address}/`, podinfoVersion);
  const startedMs = performance.now();
  const hold = (webhooks: unknown) =>
    kubectl('patch', 'canary', 'shop', '-n', 'quick-start', '--type', 'merge', '-p', JSON.stringify({ spec: { analysis: { webhooks } } }));
  try {
    // A gate without a Service.
    if (meanwhile !== undefined) await hold([{ name: 'hold', type: 'confirm-promotion', url: 'http://gate.quick-start/' }]);
    await kubectl('set', 'image', 'deployment/shop', `web=ghcr.io/stefanprodan/podinfo:${version}`, '-n', 'quick-start');
    if (meanwhile !== undefined) {
      await kubectl('wait', 'canary/shop', '-n', 'quick-start', '--for=jsonpath={.status.iterations}=1', '--timeout=3m');
      const [run, began] = [await shop('.status.release.run'), await shop('.status.release.startedMs')];
      await meanwhile();
      expect(await shop('.status.phase')).toMatch(/^(?:Progressing|WaitingPromotion)$/);
      await hold(null);
      expect([await shop('.status.release.run'), await shop('.status.release.startedMs')], 'the same release').toEqual([run, began]);
    }
    await user.ran('./serin', 'wait', 'shop', '--namespace', 'quick-start', '--revision', 'target', '--timeout', '5m');
  } finally {
    await users.stop();
  }
  const { sent, lost, misled, answers } = users.asked;
  const seconds = Math.round((performance.now() - startedMs) / 1000);
  process.stdout.write(`${version}: ${sent} requests, ${lost.length} lost, ${misled.length} misled by the kernel, ${seconds} s\n`);
  expect(await shop('.status.phase')).toBe('Succeeded');
  expect(lost).toEqual([]);
  expect([...answers.keys()].toSorted()).toEqual(['6.9.1', '6.9.2']);
}

describe('a user who has only the registries, the files and the key of a release', () => {
  it.each([...documentedVerifications().keys()])('verifies it: %s', (name) => {
    const { code, said } = user.verify(name);
    expect(code, said).toBe(0);
  });

  it('installs it by digest, and releases the application of the quick start', async () => {
    await install('now');
    await quickStart();
    await release('6.9.2');
    process.stdout.write(`the first release was promoted ${minutes()} minutes after the first verification\n`);
  });

  it('tests it by helm test', async () => {
    const tested = await user.run('helm', 'test', 'serin', '--namespace', 'serin', '--timeout', '3m');
    expect(tested.said + tested.complained).toMatch(/TEST SUITE: +serin-test\n(.*\n){2}Phase: +Succeeded/);
    expect(tested.code).toBe(0);
  });

  it('uninstalls it; the application keeps serving the promoted version', async () => {
    const address = await kubectl('get', 'service', 'shop', '-n', 'quick-start', '-o', 'jsonpath={.spec.clusterIP}');
    const users = startUsers(`http://${address}/`, podinfoVersion);
    try {
      await uninstall();
    } finally {
      await users.stop();
    }
    expect(users.asked.lost).toEqual([]);
    expect([...users.asked.answers.keys()]).toEqual(['6.9.2']);
    await kubectl('delete', 'namespace', 'quick-start', 'serin', '--timeout=3m');
    await kubectl('delete', 'crd', 'canaries.flagger.app', 'metrictemplates.flagger.app', 'alertproviders.flagger.app', '--timeout=2m');
  });
});

describe('a user of the previous version', () => {
  const definition = () => kubectl('get', 'crd', 'canaries.flagger.app', '-o', 'jsonpath={.spec}');
  let older: string;

  it('upgrades in the middle of a release, which ends', async () => {
    await install('before');
    await quickStart();
    older = await definition();
    await release('6.9.2', async () => {
      await user.ran('helm', 'upgrade', 'serin', ...chart('now'), '--namespace', 'serin', '--reset-then-reuse-values');
      await expectRuns('now');
    });
    expect(await definition()).not.toBe(older);
  });

  it('goes back in the middle of a release, which ends; the resource definitions go back with it', async () => {
    await release('6.9.1', async () => {
      await user.ran('helm', 'rollback', 'serin', '--namespace', 'serin');
      await expectRuns('before');
    });
    expect(await definition()).toBe(older);
  });
});
