import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ensureFakeTime } from '../../scripts/node/fake-time.ts';
import { anApplication } from './applications.ts';
import { leader, leaseOf } from './faults.ts';
import { givenNode } from './given-node.ts';
import { type Installed, installSerin } from './installed.ts';
import { outcomeOf } from './outcome.ts';

const node = givenNode('application', 'serin');
const kubectl = (...args: string[]) => node().kubectl(...args, '-n', 'serin');
const FOLDER = '/fake-time';
const OFF_S = 300;
/** Longest time between a renewal and the read of it. */
const ROUGHLY_S = 60;
/** An interval and the time of a check on a busy machine; far less than the clock is off. */
const SOON_MS = 60_000;

let installed: Installed;
beforeAll(async () => {
  installed = await installSerin(node(), { leaderElection: { enabled: true, replicaCount: 1 } });
  const library = readFileSync(await ensureFakeTime()).toString('base64');
  await installed.apply({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'fake-time', namespace: 'serin' },
    binaryData: { 'libfaketime.so': library },
  });
});
afterAll(() => installed?.helm.stop());

interface Deployment {
  metadata: { name: string; namespace: string; labels: object };
  spec: {
    selector: { matchLabels: object };
    template: {
      metadata: { labels: object };
      spec: { volumes?: object[]; containers: { env?: object[]; volumeMounts?: object[] }[] };
    };
  };
}

/** Another Deployment of Serin, of one pod whose clock is off. */
async function anotherSerin(name: string, offS: number): Promise<void> {
  const { metadata, spec } = JSON.parse(await kubectl('get', 'deployment', 'serin', '-o', 'json')) as Deployment;
  const label = { clock: name };
  const pod = spec.template.spec;
  const env = [
    { name: 'LD_PRELOAD', value: `${FOLDER}/libfaketime.so` },
    { name: 'FAKETIME', value: offS < 0 ? String(offS) : `+${offS}` },
    { name: 'FAKETIME_DONT_FAKE_MONOTONIC', value: '1' },
  ];
  const containers = pod.containers.map((each) => ({
    ...each,
    env: [...(each.env ?? []), ...env],
    volumeMounts: [...(each.volumeMounts ?? []), { name: 'fake-time', mountPath: FOLDER }],
  }));
  await installed.apply({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: 'serin', labels: metadata.labels },
    spec: {
      ...spec,
      replicas: 1,
      selector: { matchLabels: { ...spec.selector.matchLabels, ...label } },
      template: {
        metadata: { labels: { ...spec.template.metadata.labels, ...label } },
        spec: { ...pod, containers, volumes: [...(pod.volumes ?? []), { name: 'fake-time', configMap: { name: 'fake-time' } }] },
      },
    },
  });
  await kubectl('rollout', 'status', `deployment/${name}`, '--timeout=120s');
}

/** Lets a Serin whose clock is off lead, with a standby whose clock is right. */
async function lead(name: string, offS: number): Promise<void> {
  await anotherSerin(name, offS);
  await kubectl('scale', 'deployment/serin', '--replicas=0');
  await expect.poll(() => leader(node()), { timeout: 60_000, interval: 500 }).toContain(name);
  await kubectl('scale', 'deployment/serin', '--replicas=1');
  await kubectl('rollout', 'status', 'deployment/serin', '--timeout=120s');
}

describe.each([
  { what: 'ahead', offS: OFF_S },
  { what: 'behind', offS: -OFF_S },
])('the clock of the leader is five minutes $what', ({ what, offS }) => {
  const name = `serin-${what}`;
  it('I10: the release is promoted, no request is lost, and a standby whose clock is right does not take the lease', async () => {
    await lead(name, offS);
    const { holder, renewedMs, transitions } = await leaseOf(node());
    expect(Math.abs((renewedMs - Date.now()) / 1000 - offS)).toBeLessThan(ROUGHLY_S);

    const outcome = await outcomeOf(await anApplication(node(), installed, `clock-${what}`));

    expect(outcome).toMatchObject({ phase: 'Succeeded', lost: [], versions: ['1', '2'] });
    expect(await leaseOf(node())).toMatchObject({ holder, transitions });
    await kubectl('delete', 'deployment', name);
  });

  it('E144: the standby, whose clock is right, goes on with the checks soon after that leader has stopped', async () => {
    await lead(name, offS);
    const shop = await anApplication(node(), installed, `taken-${what}`, { iterations: 6 });
    const checks = async () =>
      Number(await node().kubectl('get', 'canary/shop', '-n', shop.namespace, '-o', 'jsonpath={.status.iterations}'));

    const outcome = await outcomeOf(shop, {
      async meanwhile() {
        // A new pod of its own would win the lease back.
        await kubectl('scale', `deployment/${name}`, '--replicas=0');
        await expect.poll(() => leader(node()), { timeout: 60_000, interval: 500 }).not.toContain(name);
        const before = await checks();
        await expect.poll(checks, { timeout: SOON_MS, interval: 500 }).toBeGreaterThan(before);
      },
    });

    expect(outcome).toMatchObject({ phase: 'Succeeded', lost: [], versions: ['1', '2'] });
    await kubectl('delete', 'deployment', name);
  });
});
