import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHARTS } from '../e2e/helm.ts';
import { anApplication } from './applications.ts';
import { freezeLeader, haltKubelet, leader, signalLeader, throttle } from './faults.ts';
import { fillEtcd, freeEtcd } from './full-etcd.ts';
import { givenNode } from './given-node.ts';
import { type Installed, installSerin } from './installed.ts';
import { outcomeOf } from './outcome.ts';

const node = givenNode('application', 'serin');
let installed: Installed;
const VALUES = { leaderElection: { enabled: true, replicaCount: 2 } };
beforeAll(async () => {
  installed = await installSerin(node(), VALUES);
});
afterAll(() => installed?.helm.stop());

const kubectl = (...args: string[]) => node().kubectl(...args);

const upgrade = async (...flags: string[]): Promise<void> => {
  const upgraded = await installed.helm.run(
    'upgrade',
    'serin',
    join(CHARTS, 'serin'),
    '--namespace',
    'serin',
    '--reuse-values',
    '--wait',
    ...flags,
  );
  expect(upgraded.code, upgraded.complained).toBe(0);
};

const patchDeployment = (patch: object) => kubectl('patch', 'deployment', 'serin', '-n', 'serin', '--patch', JSON.stringify(patch));

/** Node itself needs more. */
const TOO_LITTLE = '16Mi';

const faults: readonly { what: string; happens: () => Promise<unknown> }[] = [
  { what: 'the leader is deleted', happens: async () => kubectl('delete', 'pod', await leader(node()), '-n', 'serin') },
  { what: 'the leader is killed with -9', happens: () => signalLeader(node(), 'SIGKILL') },
  { what: 'the leader is frozen for half a minute', happens: () => freezeLeader(node()) },
  { what: 'the API server refuses its requests for half a minute', happens: () => throttle(node()) },
  {
    what: 'helm upgrade, then helm rollback',
    happens: async () => {
      await upgrade('--set', 'logLevel=debug');
      const back = await installed.helm.run('rollback', 'serin', '--namespace', 'serin', '--wait');
      expect(back.code, back.complained).toBe(0);
    },
  },
  { what: 'the kubelet is halted for half a minute', happens: () => haltKubelet(node()) },
  { what: 'the API server is killed and started again', happens: () => node().plane.restartServer() },
  {
    what: 'etcd is full, and refuses every write for 20 s',
    happens: async () => {
      await fillEtcd(node().plane);
      // Less than the 40 s after which all nodes would count as lost: none of them can renew its lease.
      await sleep(20_000);
      await freeEtcd(node().plane);
    },
  },
  {
    what: 'Serin is out of memory by its own limit, again and again',
    happens: async () => {
      const memory = { requests: { memory: TOO_LITTLE }, limits: { memory: TOO_LITTLE } };
      const template = { spec: { containers: [{ name: 'serin', resources: memory }] } };
      // Without a surge pod that still has enough memory.
      await patchDeployment({ spec: { strategy: { type: 'Recreate', rollingUpdate: null }, template } });
      const states = 'jsonpath={.items[*].status.containerStatuses[*].lastState.terminated.reason}';
      const reasons = () => kubectl('get', 'pods', '-n', 'serin', '-o', states);
      await expect.poll(reasons, { timeout: 180_000, interval: 500 }).toContain('OOMKilled');
      await kubectl('rollout', 'undo', 'deployment/serin', '-n', 'serin');
      await kubectl('rollout', 'status', 'deployment/serin', '-n', 'serin', '--timeout=180s');
    },
  },
];

describe('in the middle of a release', () => {
  it.each(faults.map((fault, at) => ({ ...fault, at })))(
    'I10: $what, the release is promoted, and no request is lost',
    async ({ at, happens }) => {
      const shop = await anApplication(node(), installed, `fault-${at}`, { iterations: 6 });
      const outcome = await outcomeOf(shop, { meanwhile: happens });
      expect(outcome).toMatchObject({ phase: 'Succeeded', lost: [], versions: ['1', '2'] });
    },
  );
});
