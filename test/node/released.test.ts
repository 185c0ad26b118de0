import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { documentedVerifications } from '../../scripts/release/rehearsal/verification.ts';
import { leader } from './faults.ts';
import { givenNode, givenRelease } from './given-node.ts';
import { documented } from './install-page.ts';
import { analysisOf } from './release-progress.ts';
import { aReleaseUser, type ReleaseUser } from './release-user.ts';
import { startUsers } from './users.ts';

const node = givenNode('podinfo', 'coredns');
const podinfoVersion = (text: string): string => /version ([\d.]+)/.exec(text)?.[1] ?? 'unknown';
const SHOP = { namespace: 'quick-start', name: 'shop' } as const;
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
const shop = (path: string) => kubectl('get', 'canary', SHOP.name, '-n', SHOP.namespace, '-o', `jsonpath={${path}}`);

/** Folders of this release and of the previous version in the registry. */
const FOLDERS = { now: 'serin', before: 'previous' } as const;
type Which = keyof typeof FOLDERS;
const found = (which: Which) => ({ charts: `${user.images}/${FOLDERS[which]}/charts`, version: manifest.version });

/** The leader is a pod with the image of this version, by its digest. */
async function expectLeads(which: Which): Promise<void> {
  await kubectl('rollout', 'status', 'deployment/serin', '-n', 'serin', '--timeout=4m');
  const repository = `${FOLDERS[which]}/serin`;
  const image = `${user.images}/${repository}@${await user.digestOf(repository)}`;
  expect(image).toMatch(/@sha256:[0-9a-f]{64}$/);
  const ofLeader = async () =>
    (await user.run('kubectl', 'get', 'pod', await leader(node()), '-n', 'serin', '-o', 'jsonpath={.spec.containers[*].image}')).said;
  await expect.poll(ofLeader, { timeout: 120_000, interval: 500 }).toBe(image);
}

async function install(which: Which): Promise<void> {
  await user.script(documented.install(found(which)));
  await expectLeads(which);
}

async function uninstall(): Promise<void> {
  await user.script(documented.deleteCanaries(SHOP.namespace));
  const left = () => user.script(documented.handedOver(SHOP.namespace));
  await expect.poll(left, { timeout: 180_000, interval: 1_000 }).not.toContain('controllerrevision');
  await user.script(documented.uninstall());
}

/** Plays under continuous requests of users, none of which is lost; only these versions answer. */
async function underUsers(what: string, versions: readonly string[], play: () => Promise<unknown>): Promise<void> {
  const address = await kubectl('get', 'service', SHOP.name, '-n', SHOP.namespace, '-o', 'jsonpath={.spec.clusterIP}');
  const users = startUsers(`http://${address}/`, podinfoVersion);
  const startedMs = performance.now();
  try {
    await play();
  } finally {
    await users.stop();
  }
  const { sent, lost, misled, answers } = users.asked;
  const seconds = Math.round((performance.now() - startedMs) / 1000);
  process.stdout.write(`${what}: ${sent} requests, ${lost.length} lost, ${misled.length} misled by the kernel, ${seconds} s\n`);
  expect(lost).toEqual([]);
  expect([...answers.keys()].toSorted()).toEqual(versions);
}

/** Releases a version of podinfo; `meanwhile` happens after its first check, and the release does not end before. */
async function release(version: string, meanwhile: () => Promise<unknown>): Promise<void> {
  const hold = (webhooks: unknown) =>
    kubectl(
      'patch',
      'canary',
      SHOP.name,
      '-n',
      SHOP.namespace,
      '--type',
      'merge',
      '-p',
      JSON.stringify({ spec: { analysis: { webhooks } } }),
    );
  await underUsers(version, ['6.9.1', '6.9.2'], async () => {
    // A gate without a Service.
    await hold([{ name: 'hold', type: 'confirm-promotion', url: 'http://gate.quick-start/' }]);
    await kubectl('set', 'image', 'deployment/shop', `web=ghcr.io/stefanprodan/podinfo:${version}`, '-n', SHOP.namespace);
    await kubectl('wait', 'canary/shop', '-n', SHOP.namespace, '--for=jsonpath={.status.iterations}=1', '--timeout=3m');
    const analysis = analysisOf(node().plane.cluster, SHOP);
    try {
      await meanwhile();
      expect(await shop('.status.phase')).toMatch(/^(?:Progressing|WaitingPromotion)$/);
      await hold(null);
      await user.ran('./serin', 'wait', SHOP.name, '--namespace', SHOP.namespace, '--revision', 'target', '--timeout', '5m');
    } finally {
      analysis.stop();
    }
    expect(analysis.runs, 'the same release').toHaveLength(1);
    expect(analysis.iterations, 'no check is repeated').toEqual([1, 2, 3]);
  });
  expect(await shop('.status.phase')).toBe('Succeeded');
}

describe('a user who has only the registries, the files and the key of a release', () => {
  it.each([...documentedVerifications().keys()])('verifies it: %s', (name) => {
    const { code, said } = user.verify(name);
    expect(code, said).toBe(0);
  });

  it('compares the commit of its origin with that of the tag', () => {
    expect(user.verify('provenance').said.trim().split('\n').at(-1)).toBe(user.commit);
  });

  it('installs it by digest, and releases the application of the quick start', async () => {
    await install('now');
    await underUsers('the quick start', ['6.9.1', '6.9.2'], async () => {
      expect(await user.script(documented.release())).toContain('Canary quick-start/shop: Succeeded');
    });
    process.stdout.write(`the first release was promoted ${minutes()} minutes after the first verification\n`);
  });

  it('tests it by helm test', async () => {
    expect(await user.script(documented.test())).toMatch(/TEST SUITE: +serin-test\n(.*\n){2}Phase: +Succeeded/);
  });

  it('uninstalls it; the application keeps serving the promoted version', async () => {
    await underUsers('the end', ['6.9.2'], uninstall);
    await kubectl('delete', 'namespace', SHOP.namespace, 'serin', '--timeout=3m');
    await user.script(documented.deleteDefinitions());
  });
});

describe('a user of the previous version', () => {
  const definition = () => kubectl('get', 'crd', 'canaries.flagger.app', '-o', 'jsonpath={.spec}');
  let older: string;

  it('I8: upgrades in the middle of a release, which goes on and ends', async () => {
    await install('before');
    older = await definition();
    await release('6.9.2', async () => {
      await user.script(documented.upgrade(found('now')));
      await expectLeads('now');
    });
    expect(await definition()).not.toBe(older);
  });

  it('I8: goes back in the middle of a release, which goes on and ends; the resource definitions go back with it', async () => {
    await release('6.9.1', async () => {
      await user.script(documented.goBack());
      await expectLeads('before');
    });
    expect(await definition()).toBe(older);
  });
});
