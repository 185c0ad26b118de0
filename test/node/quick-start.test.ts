import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { givenNode } from './given-node.ts';
import { type Installed, installSerin } from './installed.ts';
import { startUsers, type Users } from './users.ts';

const QUICK_START = join(import.meta.dirname, '..', '..', 'docs', 'quick-start.yaml');
const node = givenNode('podinfo', 'serin');
let installed: Installed;
let users: Users;

const serin = (...args: string[]) => installed.serin(...args);
const kubectl = (...args: string[]) => node().kubectl(...args);
const podinfoVersion = (text: string): string => /version ([\d.]+)/.exec(text)?.[1] ?? 'unknown';

beforeAll(async () => {
  installed = await installSerin(node());
  await kubectl('apply', '-f', QUICK_START);
});
afterAll(async () => {
  await users?.stop();
  installed?.helm.stop();
});

it('the quick start: the first version is initialized, under restricted Pod Security and as user 65532', async () => {
  const waited = await serin('wait', 'shop', '--namespace', 'quick-start', '--for', 'initialized', '--timeout', '3m');
  expect(waited).toMatchObject({ code: 0 });
  const pods = JSON.parse(await kubectl('get', 'pods', '-n', 'serin', '-o', 'json')) as {
    items: { spec: { containers: { securityContext: object }[] } }[];
  };
  expect(pods.items.length).toBeGreaterThan(0);
  for (const { spec } of pods.items)
    expect(spec.containers[0]?.securityContext).toMatchObject({ readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } });
});

it('a new version is promoted, and no request of its users is lost', async () => {
  const address = await kubectl('get', 'service', 'shop', '-n', 'quick-start', '-o', 'jsonpath={.spec.clusterIP}');
  users = startUsers(`http://${address}/`, podinfoVersion);
  await kubectl('set', 'image', 'deployment/shop', 'web=ghcr.io/stefanprodan/podinfo:6.9.2', '--namespace', 'quick-start');
  const waited = await serin('wait', 'shop', '--namespace', 'quick-start', '--revision', 'target', '--timeout', '5m');
  expect(waited).toMatchObject({ code: 0 });
  const status = await serin('status', 'shop', '--namespace', 'quick-start');
  expect(status.said).toContain('Succeeded');
  expect(users.asked.lost).toEqual([]);
  expect([...users.asked.answers.keys()].toSorted()).toEqual(['6.9.1', '6.9.2']);
});

it('an image that is not there is rolled back, and no request is lost and none is answered by another version', async () => {
  await kubectl('patch', 'canary', 'shop', '-n', 'quick-start', '--type', 'merge', '-p', '{"spec":{"progressDeadlineSeconds":30}}');
  const before = users.asked.answers.get('6.9.1') ?? 0;
  await kubectl('set', 'image', 'deployment/shop', 'web=ghcr.io/stefanprodan/podinfo:0.0.1', '--namespace', 'quick-start');
  const waited = await serin('wait', 'shop', '--namespace', 'quick-start', '--revision', 'target', '--timeout', '5m');
  expect(waited.code).not.toBe(0);
  const phase = await kubectl('get', 'canary', 'shop', '-n', 'quick-start', '-o', 'jsonpath={.status.phase}');
  expect(phase).toBe('Failed');
  const { lost, answers } = await users.stop();
  expect(lost).toEqual([]);
  expect([...answers.keys()].toSorted()).toEqual(['6.9.1', '6.9.2']);
  expect(answers.get('6.9.1')).toBe(before);
});
